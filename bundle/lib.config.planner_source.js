import {
  readPlannerConfig
} from "./planner.js";
import "./core.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  readPlannerConfig
};
