/**
 * What a reader has to know of a run before trusting its figures, in sentences.
 *
 * @module
 */
import { attainmentText, missesText, overloadText } from "../report/story/verdict.ts";
import { plannerHealth } from "../report/story/health.ts";
import type { Run } from "./run.ts";
import { percentage } from "./units.ts";

const whole = (count: number): string => count.toLocaleString("en");
const requests = (count: number): string => `${whole(count)} request${count === 1 ? "" : "s"}`;

/**
 * Sentences about a run; none when there is nothing to say.
 *
 * @param brief without what the table of many runs tells anyway
 */
export function notesOf({ summary, planner, metadata, evaluation }: Run, brief = false): string[] {
  const notes: string[] = [];
  if (evaluation?.overload) notes.push(overloadText(evaluation.overload));
  const missed = evaluation?.sla && !brief ? missesText(evaluation.sla, summary.p95_itl_ms) : null;
  if (missed !== null) notes.push(`${attainmentText(evaluation!.sla!)}; ${missed}`);
  if (summary.prediction_status === "invalid") notes.push("no request completed, so there are no latencies and rates");
  const { rejected_requests: rejected = 0, failed_requests: failed = 0, largest_prompt_tokens: longest } = summary;
  if (rejected > 0) {
    notes.push(
      `${requests(rejected)} rejected` +
        (longest === undefined ? "" : `; the longest prompt that fits has ${whole(longest)} tokens`),
    );
  }
  if (failed > 0) notes.push(`${requests(failed)} failed`);
  const { cutoff_unadmitted_requests: keptOut, cutoff_unfinished_requests: unfinished = 0 } = summary;
  if (keptOut !== undefined && keptOut + unfinished > 0) {
    notes.push(`the cutoff of virtual time kept ${requests(keptOut)} out and left ${whole(unfinished)} unfinished`);
  }
  for (const { role, calibration } of metadata?.roles ?? []) {
    if (calibration === undefined || calibration.passes_outside === 0) continue;
    const share = percentage(calibration.passes_outside / Math.max(calibration.passes, 1));
    notes.push(`${share} of the ${role} passes are outside of what was measured for the calibration`);
  }
  return [...notes, ...plannerHealth({ planner })];
}
