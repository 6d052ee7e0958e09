import {
  isRetuneOnly,
  parsePlannerConfig
} from "./planner.js";
import "./core.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  isRetuneOnly,
  parsePlannerConfig
};
