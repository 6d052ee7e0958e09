import {
  recommendationPage
} from "./analysis.js";
import "./digest.js";
import "./shared.js";
import "./core.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  recommendationPage
};
