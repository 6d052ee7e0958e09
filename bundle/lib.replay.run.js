import {
  ReplayRun,
  run
} from "./retune.js";
import "./router.js";
import "./planner.js";
import "./traces.js";
import {
  RUN_OPTIONS
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  RUN_OPTIONS,
  ReplayRun,
  run
};
