/**
 * One replay in a process of its own, as a script of somebody would call it: `once.ts TRACE OPTIONS_JSON` prints what it
 * took, in milliseconds.
 */
import { runTraceReplay } from "dynosim/replay";

const [trace, options] = Deno.args;
const { summary } = await runTraceReplay([trace], { ...JSON.parse(options), onWarning: () => {} });
console.log(JSON.stringify({ wall_time_ms: summary.wall_time_ms }));
