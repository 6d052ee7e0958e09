import {
  readRetune
} from "./retune.js";
import "./router.js";
import "./planner.js";
import "./traces.js";
import "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  readRetune
};
