import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ConfigError, QueueError } from "../../../lib/errors.ts";
import { brokerAddress } from "../../../lib/jobs/queue/address.ts";
import { Attendance } from "../../../lib/jobs/queue/attendance.ts";
import { MOST_TASKS, plain } from "../../../lib/jobs/queue/messages.ts";
import { fromPlainText, plainText } from "../../../lib/jobs/queue/plain_text.ts";
import { jobSizes } from "../../../lib/jobs/queue/sizes.ts";
import { Turns } from "../../../lib/jobs/queue/turns.ts";

const nothing = () => undefined;

test("brokerAddress reads host, port, database, TLS, user and password", () => {
  const { host, port, database, username, password, tls, shown } = brokerAddress(
    "rediss://me:p%40ss%3Aw@queue.example:7000/2",
    nothing,
  );
  assert.deepEqual([host, port, database, username, password, tls], [
    "queue.example",
    7000,
    2,
    "me",
    "p@ss:w",
    { ca: undefined },
  ]);
  assert.equal(shown, "rediss://queue.example:7000/2");
  const plainly = brokerAddress("redis://[::1]", nothing);
  assert.deepEqual([plainly.host, plainly.port, plainly.tls, plainly.username], ["::1", 6379, null, undefined]);
});

test("brokerAddress takes user and password from the environment", () => {
  const variables: Record<string, string> = { DYNOSIM_REDIS_USERNAME: "me", DYNOSIM_REDIS_PASSWORD: "secret" };
  const { username, password } = brokerAddress("redis://queue", (name) => variables[name]);
  assert.deepEqual([username, password], ["me", "secret"]);
  assert.equal(brokerAddress("redis://:own@queue", (name) => variables[name]).password, "own");
});

test("brokerAddress refuses what is no address and never repeats a password", () => {
  for (
    const wrong of [
      "localhost:6379",
      "http://:secret@queue:1",
      "redis://",
      "redis://:secret@",
      "redis://:secret@queue:99999",
      "redis://:secret@queue:x",
      "redis://:secret@queue/0/1",
      "redis://me:secret%zz@queue",
      "redis://me:secret@secret@queue:x",
      "redis://queue?password=x y",
    ]
  ) {
    assert.throws(() => brokerAddress(wrong, nothing), (problem: Error) => {
      assert.ok(problem instanceof ConfigError, wrong);
      assert.doesNotMatch(problem.message, /secret/, wrong);
      return true;
    });
  }
  assert.throws(
    () => brokerAddress("rediss://queue", (name) => name === "DYNOSIM_REDIS_CA" ? "/no/such.pem" : undefined),
    /DYNOSIM_REDIS_CA names \/no\/such.pem, and there is no such file/,
  );
});

test("plainText keeps what JSON loses", () => {
  const value = {
    figures: [Infinity, -Infinity, NaN, 0.1, -1e300],
    seed: 2n ** 70n,
    columns: { times: new Float64Array([1.5, Infinity]), ids: new Int32Array([-1, 7]) },
    none: null,
    text: "é\u0000",
  };
  assert.deepEqual(fromPlainText(plainText(value)), value);
});

test("plainText keeps every value of JSON", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert.deepEqual(fromPlainText(plainText(value)), JSON.parse(JSON.stringify(value)));
  }));
});

test("fromPlainText refuses marks that stand for nothing", () => {
  for (const type of ["Object", "number", "bigint", "__proto__", "Float64Array"]) {
    assert.throws(() => fromPlainText(JSON.stringify({ a: { $dynosim: type, value: "x" } })), SyntaxError);
  }
  for (
    const [type, item] of [["Float64Array", "x"], ["Float64Array", null], ["Int32Array", 0.5], ["Uint8Array", 256]]
  ) {
    assert.throws(() => fromPlainText(JSON.stringify({ $dynosim: type, value: [1, item] })), SyntaxError);
  }
});

test("plain leaves nothing that a terminal obeys", () => {
  assert.equal(plain("a\x1b[2Jb\x07\u009b1m\nc\td"), "a[2Jb1m\nc\td");
});

test("jobSizes sends everything when workers would run dry, and only whole jobs otherwise", () => {
  assert.deepEqual(jobSizes(100, 0, 2), [25, 25, 25, 25]);
  assert.deepEqual(jobSizes(64, 0, 8), [25, 25, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual(jobSizes(3, 100, 2), []);
  assert.deepEqual(jobSizes(3, 20, 2), [1, 1, 1]);
  assert.deepEqual(jobSizes(0, 0, 1), []);
  fc.assert(fc.property(fc.nat(5000), fc.nat(5000), fc.integer({ min: 1, max: 1000 }), (waiting, sent, slots) => {
    const sizes = jobSizes(waiting, sent, slots);
    const sum = sizes.reduce((a, b) => a + b, 0);
    assert.ok(sizes.every((size) => size >= 1 && size <= MOST_TASKS));
    assert.ok(sum <= waiting);
    if (sent === 0) assert.ok(waiting - sum === 0 || sum >= slots * MOST_TASKS);
  }));
});

test("Turns runs tasks side by side, and one that wants it alone", async () => {
  const turns = new Turns();
  let inside = 0, most = 0;
  const seen: number[] = [];
  const task = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resume) => setTimeout(resume, 5));
    inside--;
  };
  await Promise.all([
    turns.shared(task),
    turns.shared(task),
    turns.alone(async () => {
      seen.push(inside);
      await task();
    }),
    turns.shared(async () => {
      seen.push(inside);
      await task();
    }),
    assert.rejects(turns.alone(() => Promise.reject(new Error("no"))), /no/),
    turns.shared(task),
  ]);
  assert.equal(most, 2);
  assert.deepEqual(seen, [0, 0]);
});

test("Attendance gives a run up when all workers decline it twice in a row, and says why", () => {
  const attendance = new Attendance("redis://host:6379", {});
  const declined = new Map([["w1", "another version"], ["w2", "no such model"]]);
  attendance.check(2, declined); // one that has just come may be about to take it
  attendance.check(3, declined);
  attendance.check(2, declined);
  assert.throws(
    () => attendance.check(2, declined),
    new QueueError(
      "none of the 2 worker(s) at redis://host:6379 can do this:\n  w1: another version\n  w2: no such model",
    ),
  );
});

test("Attendance gives a run up when nobody has come for longer than it may wait", () => {
  const notes: string[] = [];
  const attendance = new Attendance("redis://host:6379", { patienceSeconds: -1, onNote: (note) => notes.push(note) });
  attendance.check(1, new Map());
  assert.throws(
    () => attendance.check(0, new Map()),
    /^QueueError: no worker has come to redis:\/\/host:6379 for -1 s;/,
  );
  assert.deepEqual(notes, []);
});
