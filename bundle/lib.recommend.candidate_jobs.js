import {
  PREFIX_FORMATS,
  prepare
} from "./search.js";
import "./planner.js";
import "./traces.js";
import "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  PREFIX_FORMATS,
  prepare
};
