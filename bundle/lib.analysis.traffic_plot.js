import {
  queuePlot,
  trafficPlot
} from "./analysis.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  queuePlot,
  trafficPlot
};
