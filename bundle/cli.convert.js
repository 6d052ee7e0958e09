import {
  convertCommand,
  inputs,
  ledgerText
} from "./traces.js";
import "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  convertCommand,
  inputs,
  ledgerText
};
