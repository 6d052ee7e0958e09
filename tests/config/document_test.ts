import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigDocument } from "../../lib/config/document.ts";
import { ConfigError } from "../../lib/errors.ts";

function errorOf(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "no error" });
}
const parse = (text: string) => new ConfigDocument("p.yaml", text);

test("ConfigDocument reads YAML 1.2 core, merges and aliases", () => {
  const { value } = parse("a: &x {b: off, c: 012}\nd: *x\ne: {<<: *x, f: 1e3}\n");
  assert.deepEqual(value, { a: { b: "off", c: 12 }, d: { b: "off", c: 12 }, e: { b: "off", c: 12, f: 1000 } });
});

test("ConfigDocument accepts a BOM, CRLF and JSON", () => {
  assert.deepEqual(parse("\uFEFFa: 1\r\nb: x\r\n").value, { a: 1, b: "x" });
  assert.deepEqual(parse('{"a": {"b": [1, 2]}}').value, { a: { b: [1, 2] } });
});

test("ConfigDocument refuses duplicate keys and names both lines", () => {
  const error = errorOf(() => parse("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n"));
  assert.match(
    error.message,
    /^malformed YAML in p\.yaml: duplicate mapping key 'c' \(first on line 3\), at line 5, column 3:/,
  );
  assert.match(error.message, /\n 5 \| {3}c: 3\n {3}\| {3}\^$/);
  assert.deepEqual([error.issues[0].line, error.issues[0].column], [5, 3]);
});

test("ConfigDocument names the place of a syntax error", () => {
  assert.match(errorOf(() => parse("a: 1\n b: [1\n")).message, /^malformed YAML in p\.yaml: .*at line \d, column \d/);
  assert.match(errorOf(() => parse("a: *nope")).message, /malformed YAML in p\.yaml: .*nope/);
  assert.match(errorOf(() => parse("a: !!python/object x")).message, /malformed YAML in p\.yaml: Unresolved tag/);
  assert.match(errorOf(() => parse("a: 1\n---\nb: 2\n")).message, /malformed YAML in p\.yaml: .*multiple documents/);
});

test("ConfigDocument wants one mapping with plain section names", () => {
  for (const text of ["", "# only a comment\n", "- 1\n", "text"]) {
    assert.equal(errorOf(() => parse(text)).message, "configuration p.yaml must contain one YAML mapping");
  }
  const keys = (text: string) => errorOf(() => parse(text)).issues[0].message;
  const expected = "top-level configuration keys must be nonempty section names without dots; got";
  assert.equal(keys("a.b: 1"), `${expected} 'a.b'`);
  assert.equal(keys("'': 1"), `${expected} ''`);
  assert.equal(keys("1: 1"), `${expected} 1`);
});

test("override refuses what is no override, in the reference's words", () => {
  const refused = (argument: string) => errorOf(() => parse("a: {b: 1, c: null}").override(argument)).message;
  assert.equal(refused("foo"), "invalid --set 'foo'; expected PATH=YAML_VALUE");
  assert.equal(refused("it's"), `invalid --set "it's"; expected PATH=YAML_VALUE`);
  assert.equal(refused("a.0.b=1"), "invalid --set path 'a.0.b'; sequence indexes are unsupported");
  assert.equal(refused("a..b=1"), "invalid --set path 'a..b'; sequence indexes are unsupported");
  assert.equal(refused("=1"), "invalid --set path ''; sequence indexes are unsupported");
  assert.equal(refused("optimizer.x=1"), "--set path 'optimizer.x' is not in the schema");
  assert.equal(refused("a.b.c=1"), "--set path 'a.b.c' crosses a non-mapping value");
  assert.equal(refused("a.c.d=1"), "--set path 'a.c.d' crosses a non-mapping value");
  assert.match(refused("a.b=[1"), /^invalid YAML value for --set 'a\.b': ./);
});

test("override replaces values, makes mappings and reads YAML", () => {
  const document = parse("a: {b: {c: 1}}\n");
  for (const set of ["a.b={d: [1, x]}", "e.f.g=null", "h=", "i=a=b", "a.-1=2", "a.x0=3"]) document.override(set);
  assert.deepEqual(document.value, {
    a: { b: { d: [1, "x"] }, "-1": 2, x0: 3 },
    e: { f: { g: null } },
    h: null,
    i: "a=b",
  });
});

test("override changes one place even where the file shares an anchor", () => {
  const document = parse("a: &x {n: 1}\nb: *x\n");
  document.override("a.n=2");
  assert.deepEqual(document.value, { a: { n: 2 }, b: { n: 1 } });
});

test("locate finds values and keys in the file, through aliases, and in overrides", () => {
  const document = parse("a:\n  b: 1_0\nc: &x\n  d: 2\ne: *x\n");
  document.override("a.z=off");
  const at = (path: string[], key = false) => {
    const { file, line, column, scalar } = document.locate(path, key);
    return [file, line, column, scalar];
  };
  assert.deepEqual(at(["a", "b"]), ["p.yaml", 2, 6, "1_0"]);
  assert.deepEqual(at(["a", "b"], true), ["p.yaml", 2, 3, "1_0"]);
  assert.deepEqual(at(["e", "d"]), ["p.yaml", 4, 6, "2"]);
  assert.deepEqual(at(["a", "missing", "deep"]), ["p.yaml", 1, 1, undefined]);
  assert.deepEqual(at(["a", "z"]), ["--set 'a.z=off'", undefined, undefined, "off"]);
});

test("ambiguousNumbers lists numbers that YAML 1.1 reads differently", () => {
  const found = parse("a: 012\nb: [0o17, 12, '012']\nc: 1e3\n").ambiguousNumbers();
  assert.deepEqual(found.map(({ text, ours, theirs, place }) => [text, ours, theirs, place.line]), [
    ["012", 12, "10", 1],
    ["0o17", 15, "text", 2],
    ["1e3", 1000, "text", 3],
  ]);
});
