import { rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { TaskData } from "planloom";
import type { StoredRun } from "planloom/runtime";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { planloomHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { makeOwnFolder } from "../own-folder.ts";
import { plainLine } from "../terminal/style.ts";
import { withJournal } from "./recorded-runs.ts";

export interface PageOptions {
  /** File that the page is written to. @default one below the home folder, named after the run or plan */
  readonly html?: string;
  readonly open?: boolean;
  readonly json?: boolean;
}

/** `planloom show --html FILE` and `--open`: a run or plan as one file of HTML that needs no server. */
export async function showPage(shown: StoredRun | TaskData, options: PageOptions, io: CliIo): Promise<number> {
  const { collectPageData, pageHtml, planPageData } = await import("@planloom/page");
  const isRun = "run_id" in shown;
  const data = isRun
    ? await withJournal(io, (journal) => collectPageData(shown.run_id, { journal }))
    : planPageData(shown);
  const file = await fileOf(isRun ? shown.run_id : shown.task_id, options.html, io);
  await writeWhole(file, await pageHtml(data), io);
  const url = pathToFileURL(file).href;
  if (options.open === true) await openInBrowser(url, io);
  if (options.json === true) writeJson(io, { file, url });
  else io.stdout.write(`${plainLine(file)}\n`);
  return ExitCode.DONE;
}

async function fileOf(id: string, named: string | undefined, io: CliIo): Promise<string> {
  if (named !== undefined) return resolve(io.cwd, named);
  const folder = join(planloomHome(io), "pages");
  await makeOwnFolder(folder, "Set PLANLOOM_HOME to a folder that can be written, or name the file by --html.");
  return join(folder, `${encodeURIComponent(id)}.html`);
}

/** Outputs of tasks may be private, so that only the user can read the file. A file that was there is replaced when the new one is whole. */
async function writeWhole(file: string, text: string, io: CliIo): Promise<void> {
  const half = `${file}.${process.pid}.part`;
  try {
    await writeFile(half, text, { mode: 0o600, signal: io.signal });
    await rename(half, file);
  } catch (cause) {
    await rm(half, { force: true });
    if (io.signal.aborted) throw cause;
    throw new CliError(CliErrorCode.USAGE, `Cannot write ${file}: ${(cause as Error).message}`, {
      details: { option: "--html", file },
      cause,
    });
  }
}
