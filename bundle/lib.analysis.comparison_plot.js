import {
  gpuHoursPlot,
  runRows,
  tradeOffPlot
} from "./drawing.js";
import "./analysis.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  gpuHoursPlot,
  runRows,
  tradeOffPlot
};
