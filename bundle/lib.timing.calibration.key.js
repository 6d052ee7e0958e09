import {
  calibrationKey,
  keyDifferences,
  requireKey
} from "./timing.js";
import "./base.js";
export {
  calibrationKey,
  keyDifferences,
  requireKey
};
