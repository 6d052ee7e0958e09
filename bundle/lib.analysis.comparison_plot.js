import {
  gpuHoursPlot,
  runRows,
  tradeOffPlot
} from "./analysis.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  gpuHoursPlot,
  runRows,
  tradeOffPlot
};
