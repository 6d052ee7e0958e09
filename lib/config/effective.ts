/**
 * The configuration a run was made with, as it is kept beside its results: overrides applied, comments gone.
 *
 * @module
 */
import { stringify } from "@std/yaml";
import * as v from "valibot";
import { ConfigError } from "../errors.ts";
import { ConfigDocument } from "./document.ts";
import { evaluationSection } from "./evaluation_section.ts";
import { slaPlan } from "./make_plan.ts";
import type { SlaPlan } from "./plan.ts";

/** A configuration as YAML text. */
export function effectiveConfig(value: Record<string, unknown>): string {
  return stringify(value, { lineWidth: 0 });
}

/**
 * The bounds a configuration text sets, null when it sets none or cannot be read.
 *
 * @param text what {@linkcode effectiveConfig} wrote, or any prediction file
 */
export function boundsOf(text: string): SlaPlan | null {
  let value: Record<string, unknown>;
  try {
    value = new ConfigDocument("configuration", text).value;
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
  const section = v.safeParse(evaluationSection, value.evaluation ?? {});
  return section.success ? slaPlan(section.output.sla) : null;
}
