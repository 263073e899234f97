import { ExitCode } from "../exit-code.ts";
import { planStore, savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { openJournal } from "../journals.ts";
import { openPageServer } from "../page-server.ts";
import { openSession, type SessionOptions } from "../session.ts";
import { findPlan } from "../target.ts";
import { styleFor } from "../terminal/style.ts";
import { untilAborted } from "../until-aborted.ts";
import { findRun } from "./recorded-runs.ts";
import { refuseOther } from "./save.ts";

export interface OpenCommandOptions extends SessionOptions {
  /** `--no-browser` sets it to false: the address is printed, and nothing is started. */
  readonly browser?: boolean;
  readonly json?: boolean;
}

/**
 * `planloom open`: the live page of a run, of a plan, or of all, from this process until it is interrupted. A run of another process is followed there, and can
 * be answered and cancelled; what is run or resumed from the page runs in this one.
 */
export async function open(name: string | undefined, options: OpenCommandOptions, io: CliIo): Promise<number> {
  const { browser = true, json = false, ...given } = options;
  const shown = name === undefined ? undefined : await find(name, io);
  const journal = await openJournal(io, { events: true });
  try {
    await using session = await openSession(given, io, { journal });
    const page = await openPageServer(session.planloom, { plans: await planStore(io), command: "open" }, io);
    try {
      const address = shown === undefined ? `${page.url}/` : page.address(shown.kind, shown.id);
      if (json) writeJson(io, { url: address });
      else io.stdout.write(`The page is at ${styleFor(io.stdout, io.env).paint("bold", address)} until Ctrl-C.\n`);
      if (browser) await page.show(address);
      await untilAborted(io.signal);
    } finally {
      await page.close();
    }
  } finally {
    await journal.close();
  }
  return ExitCode.DONE;
}

/** Finds the run or plan. The plan of a file is saved first, because the page shows saved plans only. */
async function find(name: string, io: CliIo): Promise<{ readonly kind: "runs" | "plans"; readonly id: string }> {
  const run = await findRun(name, io);
  if (run !== undefined) return { kind: "runs", id: run.run_id };
  const { plan } = await findPlan(name, io, "run, no ");
  await refuseOther(plan, name, io);
  await savePlanAtHome(io, plan);
  return { kind: "plans", id: plan.task_id };
}
