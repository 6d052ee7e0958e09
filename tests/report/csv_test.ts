import assert from "node:assert/strict";
import { test } from "node:test";
import { csvText } from "../../lib/report/csv.ts";

test("csvText quotes what must be, and has the columns of all rows", () => {
  const rows = [{ name: 'a "b", c', n: 1.5, ok: true }, { name: "line\nbreak", more: { x: [1] } }, { n: null }];
  assert.equal(csvText(rows), 'name,n,ok,more\n"a ""b"", c",1.5,true,\n"line\nbreak",,,"{""x"":[1]}"\n,,,\n');
  assert.equal(csvText([]), "\n");
});
