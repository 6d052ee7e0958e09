import {
  makeAutoscaler
} from "./planner.js";
import "./core.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  makeAutoscaler
};
