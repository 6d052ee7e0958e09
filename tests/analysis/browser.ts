/** Opens pages in a headless browser, where the machine has one. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseHTML } from "linkedom";

const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
/** Why pages are not opened; false when they are. */
export const skip = browser === undefined && "no Chromium on this machine (Debian: apt-get install chromium)";
if (skip) console.log(`pages are not opened: ${skip}`);

/**
 * What a script in a page wrote to `document.body.dataset.probe` as JSON, and what the browser had to say.
 *
 * @param folder for the page and the browser's profile
 */
export async function opened(html: string, script: string, folder: string): Promise<{ probe: any; messages: string }> {
  // The page runs no script but its own, so the probe is made known to its policy.
  const known = `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
  const page = html.replace("script-src", `script-src ${known}`)
    .replace("<style>", () => `<script>${script}</script><style>`);
  const file = join(folder, "page.html");
  writeFileSync(file, page);
  const { stdout, stderr } = await dump(browser!, folder, file);
  return { probe: JSON.parse((parseHTML(stdout) as any).document.body.dataset.probe), messages: stderr };
}

function dump(browser: string, folder: string, file: string): Promise<{ stdout: string; stderr: string }> {
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    `--user-data-dir=${join(folder, "profile")}`,
    "--window-size=1200,900",
    "--dump-dom",
    `file://${file}`,
  ];
  return new Promise((resolve, reject) =>
    execFile(
      browser,
      args,
      { maxBuffer: 1 << 26, timeout: 60_000 },
      (problem, stdout, stderr) => problem ? reject(problem) : resolve({ stdout, stderr }),
    )
  );
}
