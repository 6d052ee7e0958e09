/**
 * Makes `vendor/yaml.js`, the YAML library as one file: as npm serves it to Deno it is 70 CommonJS modules, whose loading
 * takes longer than a small prediction. Types come from the package itself. The file is never edited.
 *
 * Run: `deno task vendor`, or `deno task vendor --check`, which compares the file with the package and writes nothing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { denoOutput } from "./deno.ts";

const FILE = "vendor/yaml.js", ENTRY = "vendor/yaml_entry.ts";

const { imports } = JSON.parse(readFileSync("deno.json", "utf8"));
const HEADER = `/* @ts-self-types="${imports.yaml}" */
/*!
 * ${imports.yaml} as one module; made by \`deno task vendor\`, not to be edited.
 *
 * Copyright Eemeli Aro <eemeli@gmail.com>
 *
 * Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
 * provided that the above copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
 * IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
 * INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
 * THIS SOFTWARE.
 */
`;

function made(): string {
  const text = denoOutput(["bundle", "--quiet", "--platform", "browser", ENTRY]);
  // where the package lies on this machine
  return HEADER + text.replace(/^\/\/ \S*\/yaml\/[^/]+\/(\S+)$/gm, "// $1");
}

const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values;
const text = made();
if (!check) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  console.error(`${FILE} is not what the package makes; run \`deno task vendor\``);
  process.exit(1);
} else console.log(`${FILE}: as the package makes it`);
