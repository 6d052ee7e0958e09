import {
  SWEEP_KIND
} from "./planner.js";
import "./traces.js";
import "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  SWEEP_KIND
};
