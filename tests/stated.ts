/** Values that snippets state behind what they print: `console.log(1 + 1); // 2`. */
import { format } from "node:util";

/** What a snippet printed at a statement. */
export interface Said {
  /** Number of the statement among those that state a value. */
  at: number;
  text: string;
}

/**
 * A snippet whose printing statements with a value behind them tell the array `name` of the global scope what they
 * print.
 */
export function instrumented(snippet: string, name: string): { code: string; stated: string[] } {
  const stated: string[] = [];
  let code = "", from = 0;
  for (const found of snippet.matchAll(/[;)}] \/\/ (.+)$/gm)) {
    const call = snippet.lastIndexOf("console.log(", found.index);
    if (call < from || /;\n/.test(snippet.slice(call, found.index))) continue;
    const said = `globalThis as any).${name}.push({ at: ${stated.length}, text: __format(`;
    const close = closing(snippet, call + "console.log(".length);
    code += `${snippet.slice(from, call)}(${said}${snippet.slice(call + "console.log(".length, close)}) }`;
    from = close;
    stated.push(found[1]);
  }
  code += snippet.slice(from);
  Object.assign(globalThis, { __format: format });
  return { code: code.replaceAll("__format(", "(globalThis as any).__format("), stated };
}

/** Position of the parenthesis that closes the one before `from`. */
function closing(text: string, from: number): number {
  let depth = 1, at = from;
  for (let quote = ""; depth > 0 && at < text.length; at++) {
    const char = text[at];
    if (quote) {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (`"'\``.includes(char)) quote = char;
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
  }
  return at - 1;
}

/**
 * Whether a comment states what was printed: as it stands, in quotes, with an explanation behind a colon, or with `…`
 * for what it leaves out. What several turns of a loop print is joined by commas.
 */
export function states(comment: string, printed: string): boolean {
  if (comment === printed || comment === JSON.stringify(printed) || comment.startsWith(`${printed}: `)) return true;
  const parts = comment.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return parts.length > 1 && new RegExp(`^${parts.join("\\S*")}$`).test(printed);
}
