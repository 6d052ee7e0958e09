/**
 * Tests give the same results whatever the user of the machine has installed: importing this points the caches of
 * measurements and of models at a folder that does not exist. `scripts/check_imports.ts` asks for it in every test that
 * reaches the measurements.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";

const nowhere = fileURLToPath(new URL("./no-such-cache", import.meta.url));
process.env.DYNOSIM_CACHE = nowhere;
process.env.HF_HOME = nowhere;
process.env.HF_HUB_CACHE = nowhere;
