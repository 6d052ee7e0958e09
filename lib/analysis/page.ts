/**
 * The frame of our HTML pages: self-contained, loads nothing, runs the one script of its own and nothing else.
 *
 * @module
 */
import { textSha256 } from "../io/text_digest.ts";
import { SCRIPT } from "./browser/script.ts";
import { type Html, type HtmlValue, markup, safe } from "./html.ts";
import { STYLE } from "./page_style.ts";
import { figureStyle } from "./palette.ts";

/** Parts of a page. */
export interface PageParts {
  title: string;
  /** One quiet line under the title. */
  facts: string;
  /** More of the header. */
  header?: Html;
  main: HtmlValue;
  footer?: Html;
}

/** The page's script is named by its digest, so no other one runs, and no handler in an attribute. */
const policy = (script: string): string => {
  const digest = textSha256(script).replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16)));
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${btoa(digest)}'; base-uri 'none'; ` +
    "form-action 'none'";
};

/** A whole page as text. */
export function page({ title, facts, header, main, footer }: PageParts): string {
  const whole = safe`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${markup(policy(SCRIPT))}">
<meta name="color-scheme" content="light dark">
<title>${title} – dynosim</title>
<style>${markup(STYLE)}</style>
<style id="figure-style">${markup(figureStyle())}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="quiet">${facts}</p>
${header}<button id="theme" type="button" aria-label="Dark" title="Light or dark">◐</button>
</header>
<main>
${main}
</main>
${footer}<div id="zoom" hidden><span></span><button type="button">Show everything</button></div>
<div id="said" class="unseen" aria-live="polite"></div>
<script>${markup(SCRIPT)}</script>
</body>
</html>
`;
  return whole.toString();
}
