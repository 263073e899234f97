import { readFile, realpath, rename, writeFile } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { CliError, CliErrorCode } from "./errors.ts";
import { userHome } from "./home.ts";
import type { CliIo } from "./io.ts";

/**
 * Folders whose configuration and servers are used without being named on the command line. The list is the user's, beside no journal:
 * `PLANLOOM_HOME` may be another person's folder, and must not say what is trusted.
 */
const trustFile = (io: CliIo): string => join(userHome(io), ".planloom", "trusted.json");

/** What `planloom trust` and `planloom init` wrote down, without those of the environment. @throws CliError CONFIG */
export async function listTrusted(io: CliIo): Promise<string[]> {
  const file = trustFile(io);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadable(file, (cause as Error).message, cause);
  }
  try {
    const { folders } = JSON.parse(text) as { folders?: unknown };
    if (Array.isArray(folders) && folders.every((each) => typeof each === "string")) return folders;
  } catch (cause) {
    throw unreadable(file, (cause as Error).message, cause);
  }
  throw unreadable(file, 'expected {"folders": ["/a/folder"]}', undefined);
}

/** Adds the folder or takes it out. Returns the folder as it is written down. @throws CliError CONFIG */
export async function changeTrust(folder: string, trusted: boolean, io: CliIo): Promise<string> {
  const path = await realpath(folder).catch(() => folder);
  const others = (await listTrusted(io)).filter((each) => each !== path);
  const file = trustFile(io);
  const text = `${JSON.stringify({ folders: trusted ? [...others, path] : others }, null, 2)}\n`;
  try {
    const { makeFolder } = await import("planloom/planning");
    await makeFolder(dirname(file), { mode: 0o700 });
    const half = `${file}.${process.pid}`;
    await writeFile(half, text, { mode: 0o600, signal: io.signal });
    await rename(half, file);
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, `Cannot write ${file}: ${(cause as Error).message}.`, {
      hint: "PLANLOOM_TRUST names trusted folders too.",
      details: { file },
      cause,
    });
  }
  return path;
}

/** Whether the folder that a file is in is trusted; those below a trusted one are not, unless they are named too. */
export async function isTrusted(file: string, io: CliIo): Promise<boolean> {
  const folder = await realpath(dirname(file)).catch(() => dirname(file));
  const named = await Promise.all(ofEnvironment(io).map((each) => realpath(each).catch(() => each)));
  return named.includes(folder) || (await listTrusted(io)).includes(folder);
}

/** @throws CliError CONFIG for a relative one, which would trust the folder that happens to be the current one */
function ofEnvironment({ env }: CliIo): string[] {
  const folders = (env.PLANLOOM_TRUST ?? "").split(delimiter).filter((each) => each !== "");
  const relative = folders.find((each) => !isAbsolute(each));
  if (relative === undefined) return folders;
  throw new CliError(
    CliErrorCode.CONFIG,
    `Expected PLANLOOM_TRUST to be absolute folders separated by "${delimiter}", got ${JSON.stringify(relative)}.`,
    { details: { variable: "PLANLOOM_TRUST" } },
  );
}

function unreadable(file: string, why: string, cause: unknown): CliError {
  return new CliError(CliErrorCode.CONFIG, `The list of trusted folders ${file} cannot be read: ${why}.`, {
    hint: "Correct it or delete it.",
    details: { file },
    cause,
  });
}
