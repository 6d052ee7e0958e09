import {
  PREFIX_FORMATS,
  prepare
} from "./search.js";
import "./retune.js";
import "./router.js";
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
