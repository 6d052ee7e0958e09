/** What a report page looks like and does in a browser: measured, not read from its text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { htmlReport } from "../../lib/analysis/plots.ts";
import { inBrowser, type Page, skip } from "./browser.ts";
import { manyRuns, sampleRuns } from "./sample_runs.ts";

/** Colours of all that figures draw, and of their texts. */
const COLORS = `[...document.querySelectorAll("figure svg *")].map((node) => {
  const { fill, stroke } = getComputedStyle(node);
  return node.tagName + " " + fill + " " + stroke;
})`;

/** Texts that are too small, lie outside of the page, or on another text of the same panel. */
const FLAWS = `(() => {
  const flaws = [];
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) flaws.push("the page is wider than the window");
  for (const node of document.querySelectorAll("body *")) {
    const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== "");
    const style = getComputedStyle(node);
    if (!text || style.visibility === "hidden" || node.closest("script,title,.unseen,details:not([open])")) continue;
    if (parseFloat(style.fontSize) < 12) flaws.push(style.fontSize + ": " + node.textContent);
  }
  for (const svg of document.querySelectorAll(".panel > svg")) {
    const texts = [...svg.querySelectorAll("text")].filter((text) => getComputedStyle(text).visibility !== "hidden");
    const boxes = texts.map((text) => ({ text: text.textContent, ...text.getBoundingClientRect().toJSON() }));
    const card = svg.closest("figure").getBoundingClientRect();
    boxes.forEach((box, i) => {
      if (box.width === 0) return;
      if (box.left < card.left || box.right > card.right) flaws.push("cut: " + box.text);
      for (const other of boxes.slice(i + 1)) {
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (across > 1 && down > 3) flaws.push(box.text + " lies on " + other.text);
      }
    });
  }
  return flaws;
})()`;

/** Middle of the axes of the first panel over time, and the lines and values that are shown. */
const POINTER = `(() => {
  const shown = [...document.querySelectorAll("figure[data-until] .cursor")]
    .filter((cursor) => cursor.getAttribute("visibility") === "visible");
  return {
    lines: shown.map((cursor) => cursor.querySelector("line").getBoundingClientRect().left),
    times: [...new Set(shown.map((cursor) => cursor.querySelector("text").textContent))],
    panels: document.querySelectorAll("figure[data-until] .panel").length,
    silent: [...document.querySelectorAll("figure[data-until] .now")].filter((now) => now.textContent === "").length,
    values: [...document.querySelectorAll("figure[data-until] .now")].map((now) => now.textContent),
    zoom: document.getElementById("zoom").hidden ? null : document.getElementById("zoom").firstElementChild.textContent,
    said: document.getElementById("said").textContent,
  };
})()`;

const CHOSEN = `[...document.querySelectorAll(".chosen")].filter((part) => part.closest("[data-until]"))
  .map((part) => part.getBoundingClientRect().width)`;

const PLACE = `(() => {
  const svg = document.querySelector("figure[data-until] .panel > svg");
  svg.scrollIntoView({ block: "center" });
  const { left, top, width, height } = svg.getBoundingClientRect();
  return { left, top, width, height };
})()`;

async function move(page: Page, x: number, y: number) {
  await page.mouse("mouseMoved", x, y);
  return await page.evaluate(POINTER);
}

test(
  "A report page in a browser: pointer, zoom, keys, colours, saved files, narrow screens",
  { skip },
  () =>
    sampleRuns().then((runs) => htmlReport(runs)).then((html) =>
      inBrowser(html, async (page) => {
        await page.show(1280, 900, "light");
        const { left, top, width, height } = await page.evaluate(PLACE);
        const [x, y] = [left + Math.round(width / 2), top + height / 2];

        const pointed = await move(page, x, y);
        assert.equal(pointed.lines.length, pointed.panels, "a line in every panel over time");
        for (const line of pointed.lines) assert.ok(Math.abs(line - x) < 1.5, `line at ${line}, pointer at ${x}`);
        assert.match(pointed.times.join(), /^[34]:\d\d$/, "one time everywhere");
        assert.equal(pointed.silent, 0, "every series has its value");
        assert.ok(
          pointed.values.some((value: string) => /^median [\d.]+ ms, p95 [\d.]+ ms$/.test(value)),
          pointed.values,
        );

        await page.mouse("mousePressed", x, y);
        await page.mouse("mouseMoved", x + 100, y);
        const chosen: number[] = await page.evaluate(CHOSEN);
        for (const part of chosen) assert.ok(Math.abs(part - 100) < 2, `${part} pixels are chosen`);
        await page.mouse("mouseReleased", x + 100, y);
        assert.equal(Math.max(...await page.evaluate(CHOSEN)), 0);
        const zoomed = await move(page, x, y);
        assert.match(zoomed.zoom, /^[34]:\d\d – [45]:\d\d$/);
        assert.equal(zoomed.lines.length, zoomed.panels);
        for (const line of zoomed.lines) {
          assert.ok(Math.abs(line - x) < 1.5, `zoomed: line at ${line}, pointer at ${x}`);
        }
        assert.notEqual(zoomed.times[0], pointed.times[0]);
        for (const clicks of [1, 2]) {
          await page.mouse("mousePressed", x, y, clicks);
          await page.mouse("mouseReleased", x, y, clicks);
        }
        assert.deepEqual((await move(page, x, y)).times, pointed.times, "a double click shows everything");
        assert.equal((await page.evaluate(POINTER)).zoom, null);

        await page.evaluate(`document.querySelector(".panels[tabindex]").focus()`);
        await page.key("ArrowRight");
        assert.match((await page.evaluate(POINTER)).said, /^\d:\d\d: active \d/);
        await page.key("+");
        assert.notEqual((await page.evaluate(POINTER)).zoom, null);
        await page.key("0");
        assert.equal((await page.evaluate(POINTER)).zoom, null);

        const light = await page.evaluate(COLORS);
        await page.show(1280, 900, "dark");
        const bySystem = await page.evaluate(COLORS);
        await page.show(1280, 900, "light");
        await page.evaluate(`document.getElementById("theme").click()`);
        assert.deepEqual(await page.evaluate(COLORS), bySystem, "dark by the system is dark by the button");
        assert.ok(bySystem.includes("path none rgb(90, 176, 234)"), "lines are bright on dark ground");
        for (const color of [...light, ...bySystem]) {
          if (color.startsWith("text")) {
            assert.match(color, /^text (rgb\(31, 35, 40\)|rgb\(230, 233, 238\)) none$/);
          }
        }

        await page.evaluate(`(() => {
        window.saved = [];
        URL.createObjectURL = (blob) => (window.saved.push(blob), "blob:none");
        HTMLAnchorElement.prototype.click = () => {};
        document.querySelectorAll("figure.chart").forEach((figure) =>
          figure.querySelectorAll("[data-save]").forEach((button) => button.click()));
      })()`);
        const saved: string[] = await page.evaluate(`Promise.all(window.saved.map((blob) => blob.text()))`);
        assert.equal(saved.length, 2 * 13);
        for (const svg of saved.filter((_, i) => i % 2 === 0)) {
          assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" class="dynosim"[^]*class="title">/);
          assert.ok(!/NaN|Infinity|undefined/.test(svg));
        }
        const ttft = saved.find((text) => text.startsWith("time (s),fixed median (ms),fixed p95 (ms)"))!;
        assert.ok(ttft.split("\n").length > 60, "a row for each bucket");
        assert.match(ttft.split("\n")[1], /^2\.5,[\d.]+,[\d.]+,[\d.]+,[\d.]+$/);

        for (const wide of [390, 1280]) {
          await page.show(wide, 900, "light");
          assert.deepEqual(await page.evaluate(FLAWS), [], `at ${wide} pixels`);
        }
        assert.deepEqual(page.messages, []);
      })
    ),
);

test(
  "A page of many runs in a browser: its table sorts, its labels keep apart, long names fit",
  { skip },
  () =>
    manyRuns(9).then((runs) => htmlReport(runs)).then((html) =>
      inBrowser(html, async (page) => {
        for (const wide of [390, 1280]) {
          await page.show(wide, 900, "dark");
          assert.deepEqual(await page.evaluate(FLAWS), [], `at ${wide} pixels`);
        }
        const column =
          `[...document.querySelectorAll("table.compared tbody tr")].map((row) => Number(row.cells[2].dataset.value))`;
        const hours: number[] = await page.evaluate(column);
        const head = `document.querySelectorAll("table.compared th button")[2]`;
        await page.evaluate(`${head}.click()`);
        assert.deepEqual(await page.evaluate(column), hours.toSorted((a, b) => a - b));
        await page.evaluate(`${head}.focus()`);
        await page.evaluate(`${head}.click()`);
        assert.deepEqual(await page.evaluate(column), hours.toSorted((a, b) => b - a));
        assert.equal(await page.evaluate(`${head}.parentNode.getAttribute("aria-sort")`), "descending");
        const names =
          `[...document.querySelectorAll(".names text")].filter((text) => getComputedStyle(text).visibility !== "hidden").length`;
        assert.equal(await page.evaluate(names), 9, "every dot of the trade-off has a label");
        const nameless = `[...document.querySelectorAll("button,summary,input,[tabindex],svg[role=img]")]
        .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim())).length`;
        assert.equal(await page.evaluate(nameless), 0, "everything to reach has a name");
        assert.deepEqual(page.messages, []);
      })
    ),
);
