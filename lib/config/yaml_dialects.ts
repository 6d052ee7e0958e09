/**
 * Plain scalars that YAML 1.1 readers take for something else than YAML 1.2 does.
 *
 * @module
 */

/** What a YAML 1.1 reader makes of a plain scalar, where 1.2 core makes something else of it; else undefined. */
export function elsewhere(text: string): string | undefined {
  if (/^(yes|Yes|YES|on|On|ON)$/.test(text)) return "true";
  if (/^(no|No|NO|off|Off|OFF)$/.test(text)) return "false";
  if (/^[-+]?[1-9]\d*(:[0-5]?\d)+$/.test(text)) return String(sexagesimal(text));
  if (/^[-+]?0_*[0-7][0-7_]*$/.test(text)) return String(parseInt(text.replaceAll("_", ""), 8));
  if (/^[-+]?([1-9][\d_]*|0)(\.[\d_]*)?$/.test(text) && text.includes("_")) return text.replaceAll("_", "");
  if (/^[-+]?0x[\da-fA-F_]+$/.test(text) && text.includes("_")) return String(Number(text.replaceAll("_", "")));
  if (/^0o[0-7]+$/.test(text) || /^[-+]?(\d+(\.\d*)?|\.\d+)[eE]\d+$/.test(text)) return "text";
  return undefined;
}

function sexagesimal(text: string): number {
  const sign = text.startsWith("-") ? -1 : 1;
  return sign * text.replace(/^[-+]/, "").split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Says how the scalar was read, for an error about its type; undefined when both dialects agree. */
export function dialectHint(text: string): string | undefined {
  const theirs = elsewhere(text);
  if (theirs === undefined || theirs === "text") return undefined;
  if (/^[-+]?0[0-7]+$/.test(text)) return `YAML 1.2 reads ${text} as ${Number(text)}, a YAML 1.1 reader as ${theirs}`;
  const advice = /\d/.test(theirs) ? `: write ${theirs}` : "";
  return `YAML 1.2 reads ${text} as text, a YAML 1.1 reader as ${theirs}${advice}`;
}
