/** Takes the folder of its first argument, runs the command of the others on it, and gives it up. */
import { execFileSync } from "node:child_process";
import process from "node:process";
import { releaseFolders, takeFolder } from "../../lib/io/folder_lock.ts";

const [folder, program, ...args] = process.argv.slice(2);
try {
  takeFolder(folder);
  console.log("taken");
  if (program !== undefined) process.stdout.write(execFileSync(program, [...args, folder]));
} catch (problem) {
  console.log((problem as Error).message);
}
releaseFolders();
