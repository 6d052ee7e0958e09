import {
  goodputPlot,
  latencyPlot
} from "./drawing.js";
import "./analysis.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  goodputPlot,
  latencyPlot
};
