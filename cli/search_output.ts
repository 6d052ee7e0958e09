/**
 * The output directory of a search: it is taken anew, or gone on with where the same search was stopped.
 *
 * @module
 */
import { takeFolder } from "../lib/io/folder_lock.ts";
import { joinPath } from "../lib/io/folders.ts";
import { host } from "../lib/io/host.ts";
import { Journal } from "../lib/recommend/journal.ts";
import { prepareOutput } from "./output.ts";

/**
 * Makes the directory ready. One that holds the journal of the same search is gone on with; any other one that holds
 * something is refused unless `overwrite`.
 *
 * @param search name of the search
 * @throws {ConfigError} when it cannot be used
 */
export async function prepareSearchOutput(folder: string, overwrite: boolean, search: string): Promise<void> {
  const journal = joinPath(folder, "execution-events.jsonl");
  if (!overwrite && host().kind(journal) === "file") {
    takeFolder(folder);
    if (await Journal.searchIn(journal) === search) return;
  }
  await prepareOutput(folder, overwrite);
}
