/**
 * The script of our pages, put together of its parts.
 *
 * @module
 */
import { LAYOUT } from "./layout.ts";
import { POINTER } from "./pointer.ts";
import { SAVE } from "./save.ts";
import { TABLES } from "./tables.ts";
import { THEME } from "./theme.ts";
import { ZOOM } from "./zoom.ts";

/** One script without globals. */
export const SCRIPT = `(() => {\n"use strict";${THEME}${TABLES}${LAYOUT}${POINTER}${ZOOM}${SAVE}layout();\n})();`;
