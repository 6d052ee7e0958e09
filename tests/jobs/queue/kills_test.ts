import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { start } from "../../cli/support.ts";
import { skip } from "./redis.ts";

test("a search comes to the same whoever is killed: worker, coordinator, Redis", {
  skip: skip || !("Deno" in globalThis) && "the attack runs on Deno",
}, async () => {
  const { code, stdout, stderr } = await start("scripts/attack/queue_kills.ts", [process.env.QUEUE_KILLS ?? "3"]);
  console.log(stdout.trim());
  assert.equal(code, 0, stdout + stderr);
});
