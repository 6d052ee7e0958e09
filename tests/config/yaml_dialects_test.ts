import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectHint, elsewhere } from "../../lib/config/yaml_dialects.ts";

test("elsewhere says what YAML 1.1 makes of a scalar, where that differs", () => {
  const readings: Record<string, string | undefined> = {
    "off": "false",
    "Yes": "true",
    "1_000": "1000",
    "012": "10",
    "12:30": "750",
    "1:00:00": "3600",
    "08:30": undefined,
    "089": undefined,
    "1e3": "text",
    "1.0e+3": undefined,
    "0o17": "text",
    "n": undefined,
    "12": undefined,
    "-5": undefined,
    "0": undefined,
    "1_0.5": "10.5",
  };
  for (const [text, theirs] of Object.entries(readings)) assert.equal(elsewhere(text), theirs, text);
});

test("dialectHint advises the number to write", () => {
  assert.equal(dialectHint("1_000"), "YAML 1.2 reads 1_000 as text, a YAML 1.1 reader as 1000: write 1000");
  assert.equal(dialectHint("off"), "YAML 1.2 reads off as text, a YAML 1.1 reader as false");
  assert.equal(dialectHint("012"), "YAML 1.2 reads 012 as 12, a YAML 1.1 reader as 10");
  assert.equal(dialectHint("abc"), undefined);
});
