import {
  DynamoTrace,
  dynamo
} from "./traces.js";
import "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import "./base.js";
export {
  DynamoTrace,
  dynamo
};
