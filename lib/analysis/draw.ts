/**
 * Draws panels of figures without a browser, and marks their parts for a page that fits them to its width: `marks` is
 * what lies inside the axes; of it, `stretch` may be stretched along x, and `move` keeps its shape and moves, as ticks do.
 *
 * @module
 */
import * as Plot from "@observablehq/plot";
// the one file without imports: the package's entry loads some of CommonJS, and Deno all of Node's interface for them
import { parseHTML } from "linkedom/worker";

/** A drawn panel. */
export interface PlotElement {
  readonly width: number;
  readonly height: number;
  /** Room around the axes. */
  readonly marginLeft: number;
  readonly marginRight: number;
  readonly marginTop: number;
  readonly marginBottom: number;
  /** An SVG element without a style of its own. */
  readonly markup: string;
}

/** Draws a plot. Takes the options of Observable Plot. */
export function draw(options: Plot.PlotOptions & Omit<PlotElement, "markup">): PlotElement {
  const { document } = parseHTML("<!doctype html><html><body></body></html>") as any;
  const { width, height, marginLeft, marginRight, marginTop, marginBottom } = options;
  const element = Plot.plot({ ...options, document }) as any;
  element.querySelector("style")?.remove();
  for (const name of ["class", "style", "font-size", "font-family"]) element.removeAttribute(name);
  element.setAttribute("overflow", "visible");
  const marks = document.createElementNS("http://www.w3.org/2000/svg", "g");
  marks.setAttribute("class", "marks");
  for (const group of [...element.children]) {
    const kind: string = group.getAttribute("aria-label") ?? "";
    group.removeAttribute("aria-label");
    group.removeAttribute("aria-hidden");
    if (kind === "x-axis label") group.setAttribute("class", "end");
    else if (kind.startsWith("x-axis")) {
      group.setAttribute("class", kind.endsWith("label") ? "ticks labels" : "ticks");
      wrapPoints(document, group);
    } else if (!kind.startsWith("y-axis")) {
      if (MOVING.test(kind) || group.querySelector("[transform]")) wrapPoints(document, group);
      else group.setAttribute("class", "stretch");
      if (kind !== "y-grid") marks.append(group);
      else element.insertBefore(group, element.firstChild);
    }
  }
  element.append(marks);
  const frame = { width, height, marginLeft, marginRight, marginTop, marginBottom };
  return { ...frame, markup: rounded(element.outerHTML) };
}

/** Marks whose elements have one place each. */
const MOVING = /^(dot|text)$/;

function wrapPoints(document: any, group: any): void {
  for (const point of [...group.children]) {
    const placed = point.querySelector("[cx],[transform]") ?? point;
    const x = placed.getAttribute("cx") ?? /translate\(([^,]+)/.exec(placed.getAttribute("transform") ?? "")?.[1];
    if (x === undefined || x === null) continue;
    const holder = document.createElementNS("http://www.w3.org/2000/svg", "g");
    holder.setAttribute("class", "move");
    holder.setAttribute("data-x", x);
    group.replaceChild(holder, point);
    holder.append(point);
  }
}

/** Places to a tenth of a pixel, which is more than anybody sees. */
const rounded = (svg: string): string =>
  svg.replace(
    / (?:d|transform|data-x|points|width|height|[xy][12]?|c[xy])="[^"]*"/g,
    (attribute) => attribute.replace(/-?\d+\.\d{2,}/g, (text) => String(Number(Number(text).toFixed(1)))),
  );
