import { open, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { nanoid } from "nanoid";
import { checkOptions } from "../check-options.ts";
import { type ReadContext, readChecks } from "../dialects/dialect.ts";
import { describeValue } from "../dialects/dialect-error.ts";
import { maxPlanBytes } from "../dialects/json-values.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import type { TaskData } from "../records/task-data.ts";
import { shownName } from "../shown-name.ts";
import { formatPlan } from "./format-plan.ts";
import { type PlanFormat, parsePlanText } from "./parse-plan-text.ts";
import { readFileWithin } from "./read-file-within.ts";

export interface LoadPlanOptions extends ReadContext {
  /** Rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface SavePlanOptions {
  /** Rejects with its reason; the file is then as it was. */
  readonly signal?: AbortSignal;
}

/** `.yaml` and `.yml` are YAML, everything else JSON. */
export function planFormatOf(file: string): PlanFormat {
  return [".yaml", ".yml"].includes(extname(file).toLowerCase()) ? "yaml" : "json";
}

/**
 * Reads a plan file, in our format or any dialect's.
 * @param options.maxBytes limit, checked before anything is parsed. @default 32 MiB
 * @throws PlanError FILE (with the system's reason as `cause`), TOO_LARGE, OPTION, and those of `parsePlanText`; the file's name is in
 *   the message and in `details.file`.
 */
export async function loadPlan(file: string, options: LoadPlanOptions = {}): Promise<TaskData> {
  checkOptions("`loadPlan`", options, { ...readChecks, signal: "signal" });
  checkName(file);
  const { signal, ...context } = options;
  const maxBytes = context.maxBytes ?? maxPlanBytes;
  signal?.throwIfAborted();
  const bytes = await inFile(file, "read", signal, () => readFileWithin(file, maxBytes, signal));
  try {
    if (typeof bytes === "number") throw tooLarge(bytes, maxBytes);
    return parsePlanText(decodeUtf8(bytes), { format: planFormatOf(file), ...context });
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw new PlanError(error.code, `${shownName(file)}: ${error.message}`, {
      details: { ...error.details, file },
      cause: error,
    });
  }
}

/**
 * Writes a plan file so that it is either whole or as it was before: a temporary file beside it, then a rename. A new one is its
 * owner's alone (0600), since plans hold what was asked for; one that is there keeps its permissions.
 * @throws PlanError FILE, INVALID, OPTION
 */
export async function savePlan(plan: TaskData, file: string, options: SavePlanOptions = {}): Promise<void> {
  checkOptions("`savePlan`", options, { signal: "signal" });
  checkName(file);
  const { signal } = options;
  signal?.throwIfAborted();
  const text = formatPlan(plan, { format: planFormatOf(file) });
  await inFile(file, "write", signal, async () => {
    const target = await realpath(file).catch(() => file);
    const temporary = join(dirname(target), `.${basename(target)}.${nanoid(8)}.tmp`);
    try {
      const handle = await open(temporary, "wx", 0o600);
      try {
        const mode = await stat(target).then(
          (there) => there.mode & 0o777,
          () => 0o600,
        );
        if (mode !== 0o600) await handle.chmod(mode);
        await handle.writeFile(text, { encoding: "utf8", ...(signal && { signal }) });
        await handle.sync();
      } finally {
        await handle.close();
      }
      signal?.throwIfAborted();
      await rename(temporary, target);
    } catch (error) {
      await unlink(temporary).catch(() => {});
      throw error;
    }
  });
}

function checkName(file: unknown): void {
  if (typeof file === "string") return;
  const message = `Expected the name of a plan file (a text), got ${describeValue(file)}.`;
  throw new PlanError(PlanErrorCode.FILE, message, { details: { file: describeValue(file) } });
}

/** Reads in pieces, because some files (pipes, devices) have no known size. A number as the result means that the limit was exceeded. */
function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    const message = "the file is not UTF-8 text";
    const details = { issues: [{ path: "", message }] };
    throw new PlanError(PlanErrorCode.INVALID, `Expected a plan: ${message}.`, { details, cause });
  }
}

async function inFile<T>(
  file: string,
  verb: "read" | "write",
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const why = systemReasons.get((cause as { code?: string }).code ?? "") ?? String((cause as Error).message ?? cause);
    throw new PlanError(PlanErrorCode.FILE, `Cannot ${verb} the plan file ${shownName(file)}: ${shownName(why)}.`, {
      details: { file },
      cause,
    });
  }
}

const systemReasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file or folder"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of its path is not a folder"],
  ["ENAMETOOLONG", "its name is too long"],
  ["ENOSPC", "the disk is full"],
  ["EROFS", "the file system is read-only"],
]);

function tooLarge(bytes: number, maxBytes: number): PlanError {
  return new PlanError(
    PlanErrorCode.TOO_LARGE,
    `Expected a plan of at most ${maxBytes} bytes, got ${bytes} or more. Split the plan, or raise maxBytes.`,
    { details: { bytes, maxBytes } },
  );
}
