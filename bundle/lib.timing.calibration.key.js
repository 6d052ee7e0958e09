import {
  calibrationKey,
  requireKey
} from "./timing.js";
import "./base.js";
export {
  calibrationKey,
  requireKey
};
