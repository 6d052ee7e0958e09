/**
 * The knobs of one role of a candidate.
 *
 * @module
 */
import type { Backend } from "../engine/settings.ts";
import type { RoleSearch } from "./engine_domain.ts";
import type { Replicas } from "./shapes.ts";

/** Knobs of a role with their defaults filled in. */
export interface RoleKnobs {
  role: RoleSearch;
  shape: Replicas;
  tokens: number;
  sequences: number;
  blockTokens: number;
  memoryFraction: number;
  version: string;
  backend: Backend;
}
