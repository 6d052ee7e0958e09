import assert from "node:assert/strict";
import { test } from "node:test";
import "../without_user_cache.ts";
import { ledgerOf } from "../../lib/recommend/ledger.ts";
import { resultFiles } from "../../lib/recommend/result_files.ts";
import { loadRecommendation, readRecommendation, recommend, recommendationPage } from "../../mod.ts";
import { writeTogether } from "../../cli/output.ts";
import { inFolder } from "../cli/support.ts";
import { inBrowser, skip } from "./browser.ts";

const SEARCH = `
traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 16}, load: {concurrency: {choices: [2, 8, 24]}}, stop: {requests: 48}}
engine:
  mode: aggregated
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  backend: vllm
  context_length: 8192
  workers:
    aggregated:
      parallelism: {preset: false, tensor: {choices: [1, 2]}, replicas: {range: {min: 1, max: 2, step: 1}}}
      scheduler: {max_batched_tokens: 8192, max_sequences: 64}
      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}
      timing: {type: polynomial}
evaluation: {sla: {ttft_ms: 200, itl_ms: 20}}
optimization: {target: goodput_per_gpu, constraints: {max_candidate_gpus: 4}}
`;

const PROBE = `(() => {
  const rows = () => [...document.querySelectorAll("#ledger tbody tr")];
  const column = (at) => rows().map((row) => row.cells[at].textContent);
  const heading = (at) => document.querySelectorAll("#ledger th button")[at];
  const before = column(1);
  heading(3).click();
  const up = column(3);
  heading(3).click();
  const down = column(3);
  const filter = document.getElementById("filter");
  filter.value = "Tensor 2, candidate";
  filter.dispatchEvent(new Event("input"));
  const left = rows().filter((row) => !row.hidden).map((row) => row.textContent);
  filter.value = "";
  filter.dispatchEvent(new Event("input"));
  const links = [...document.querySelectorAll("figure a")].map((link) => document.querySelector(link.getAttribute("href") || link.getAttribute("xlink:href")) !== null);
  const { width, height } = document.querySelector("figure .panel svg").getBoundingClientRect();
  return {
    before, up, down, left, links, width, height, titles: [...document.querySelectorAll("circle title, a title")].length,
    shown: rows().filter((row) => !row.hidden).length,
  };
})()`;

test("recommendationPage sorts and filters its ledger in a browser", { skip }, () =>
  inFolder(async (folder) => {
    const found = await recommend(loadRecommendation(SEARCH)).result;
    await writeTogether(folder, resultFiles(ledgerOf(found, "test"), "engine"));
    const html = await recommendationPage(await readRecommendation(folder));
    await inBrowser(html, async (page) => {
      await page.show(1280, 900, "light");
      const probe = await page.evaluate(PROBE);
      assert.equal(probe.before.length, 12);
      const numbers = (texts: string[]) => texts.map(Number);
      assert.deepEqual(numbers(probe.up), numbers(probe.up).toSorted((a, b) => a - b));
      assert.deepEqual(numbers(probe.down), numbers(probe.up).reverse());
      assert.equal(probe.left.length, 6);
      for (const text of probe.left) assert.match(text, /tensor 2/);
      assert.equal(probe.shown, 12);
      assert.ok(probe.links.length > 0 && probe.links.every(Boolean));
      assert.equal(probe.titles, probe.links.length);
      assert.ok(probe.width > 300 && probe.height > 100, `${probe.width} × ${probe.height}`);
      await page.show(390, 900, "light");
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it fits a narrow screen");
      assert.deepEqual(page.messages, []);
    });
  }));
