/**
 * The frame of our HTML pages: self-contained, loads nothing, runs the one script of its own and nothing else.
 *
 * @module
 */
import { sha256 } from "../io/digest.ts";
import { type Html, type HtmlValue, markup, safe } from "./html.ts";
import { SCRIPT, STYLE } from "./page_style.ts";

/** Parts of a page. */
export interface PageParts {
  title: string;
  /** One quiet line under the title. */
  facts: string;
  /** More of the header. */
  header?: Html;
  main: HtmlValue;
  footer?: Html;
  /** A script of the page's own kind, beside the one that all pages have. */
  script?: string;
}

/** The page's own scripts are named by their digests, so no other one runs, and no handler in an attribute. */
const policy = (scripts: readonly string[]): string => {
  const named = scripts.map((script) => {
    const digest = sha256(script).replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16)));
    return `'sha256-${btoa(digest)}'`;
  });
  return `default-src 'none'; style-src 'unsafe-inline'; script-src ${named.join(" ")}; base-uri 'none'; ` +
    "form-action 'none'";
};

/** A whole page as text. */
export function page({ title, facts, header, main, footer, script }: PageParts): string {
  const scripts = [SCRIPT, ...script === undefined ? [] : [script]];
  const whole = safe`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${markup(policy(scripts))}">
<meta name="color-scheme" content="light dark">
<title>${title} – dynosim</title>
<style>${markup(STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="quiet">${facts}</p>
${header}<button id="theme" type="button" aria-label="Switch between light and dark" title="Light or dark">◐</button>
</header>
<main>
${main}
</main>
${footer}${scripts.map((text) => safe`<script>${markup(text)}</script>`)}
</body>
</html>
`;
  return whole.toString();
}
