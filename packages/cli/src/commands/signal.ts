import type { SentSignal } from "planloom/runtime";
import { accountName } from "../account-name.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { wordsOfJournal } from "../journaled-session.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { waitText } from "../terminal/wait-text.ts";
import { nextSteps } from "./next-steps.ts";
import { requireRun, requireRunId, signalledWaits, waitsOf, withJournal } from "./recorded-runs.ts";

export interface SignalCommandOptions {
  readonly key?: string;
  /** JSON: the output of the task that waits. */
  readonly data?: string;
  readonly id?: string;
  readonly by?: string;
  readonly json?: boolean;
}

/** `planloom signal`: sends a signal to a run. */
export async function signal(prefix: string, event: string, options: SignalCommandOptions, io: CliIo): Promise<number> {
  const data = options.data === undefined ? null : readData(options.data);
  const runId = await requireRunId(prefix, io);
  const runtime = await import("planloom/runtime");
  const { key, id, by = accountName() } = options;
  const sent = (await withJournal(io, (journal) =>
    runtime.signal(runId, event, {
      journal,
      data,
      by,
      ...(key !== undefined && { key }),
      ...(id !== undefined && { id }),
    }),
  )) as SentSignal;
  if (options.json === true) {
    writeJson(io, sent);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  const waits = sent.awaited || sent.duplicate ? [] : [...(await waitsOf(runId, io)).values()].flat();
  const signalled = await signalledWaits(runId, waits, io);
  const earlier = waits.find(({ id: wait, event: name, key: of = "" }) => {
    return signalled.has(wait) && name === event && of === (key ?? "");
  });
  const became = sent.duplicate
    ? "was sent before; nothing changed"
    : sent.awaited
      ? "is waited for"
      : earlier === undefined
        ? "is kept: no task waits for it yet"
        : `is kept for a later wait: ${plainLine(earlier.id)} gets the one that was sent before`;
  io.stdout.write(`${style.paint("bold", plainLine(event))}  ${became}\n`);
  const open = waits.filter(({ id: wait, event: name }) => name !== undefined && !signalled.has(wait));
  for (const wait of open.slice(0, MAX_WAITS))
    io.stdout.write(style.paint("dim", `  ${plainLine(wait.id)} waits ${plainLine(waitText(wait))}\n`));
  if (!sent.awaited && earlier === undefined) return ExitCode.DONE;
  const run = await requireRun(runId, io);
  // The process that runs it looks by itself.
  if (run.status !== "running")
    io.stdout.write(
      nextSteps([["resume", run.run_id, ...(await wordsOfJournal(run.options.metadata, io))]], style, io),
    );
  return ExitCode.DONE;
}

/** Waits that are shown after a signal that nothing waits for. */
const MAX_WAITS = 5;

function readData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(CliErrorCode.USAGE, `Expected --data to be JSON, got ${text.slice(0, 100)}`, {
      hint: `Text needs its own quotes: --data '"paid"'.`,
      details: { option: "--data" },
      cause,
    });
  }
}
