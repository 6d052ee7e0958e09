import {
  planSpec,
  predict
} from "./core.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  planSpec,
  predict
};
