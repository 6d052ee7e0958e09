import {
  htmlReport,
  htmlReportSteps
} from "./analysis.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  htmlReport,
  htmlReportSteps
};
