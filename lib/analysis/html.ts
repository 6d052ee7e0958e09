/**
 * Markup that is safe by construction: a template in which every value is escaped, unless it is markup itself.
 *
 * @module
 */

/** Markup of ours. Only {@linkcode safe} and {@linkcode markup} make it. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: texts and numbers are escaped, markup is taken as it is, lists are joined. */
export type HtmlValue = string | number | Html | null | undefined | readonly HtmlValue[];

/**
 * Makes markup of a template. Null and undefined are nothing. (It is not called `html`, because formatters then put
 * white space into it.)
 *
 * ```ts ignore
 * safe`<td title="${text}">${parts.map((part) => safe`<b>${part}</b>`)}</td>`;
 * ```
 */
export function safe(fixed: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = fixed[0];
  values.forEach((value, i) => text += escaped(value) + fixed[i + 1]);
  return new Html(text);
}

/** Takes a text for markup: only for texts of ours, and what a serialiser made. */
export const markup = (text: string): Html => new Html(text);

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(escaped).join("");
  return String(value ?? "").replace(/[&<>"']/g, (sign) => SIGNS[sign]);
}
