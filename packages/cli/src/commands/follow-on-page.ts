import type { Planloom, RunEvent, TaskData } from "planloom";
import { ExitCode } from "../exit-code.ts";
import { planStore, savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { type CliJournal, openJournal } from "../journals.ts";
import { openPageServer } from "../page-server.ts";
import { plainLine } from "../terminal/style.ts";
import { untilAborted } from "../until-aborted.ts";

/** The page of a run that is in progress in this process. */
export interface FollowingPage extends AsyncDisposable {
  /** Takes the events of the run; with the first one the page is opened. */
  hear(event: Pick<RunEvent, "runId">): void;
  /** Keeps the page until the person at the terminal presses Enter; without one it ends with the command. */
  stay(): Promise<void>;
}

/** A journal that keeps events, for a page that shows the run from its beginning; none of its own where the page is not wanted or nothing is kept. */
export async function journalToFollow(
  { open, dryRun }: { readonly open?: boolean; readonly dryRun?: boolean },
  isKept: boolean,
  io: CliIo,
): Promise<{ readonly journal: CliJournal | undefined } & AsyncDisposable> {
  const journal = open === true && dryRun !== true && isKept ? await openJournal(io, { events: true }) : undefined;
  return { journal, [Symbol.asyncDispose]: async () => journal?.close() };
}

/** `run --edit --open`: the plan on a page, where it is changed and run, until the command is interrupted. */
export async function editOnPage(plan: TaskData, planloom: Planloom, json: boolean, io: CliIo): Promise<number> {
  await savePlanAtHome(io, plan);
  const page = await openPageServer(planloom, { plans: await planStore(io), command: "run --open" }, io);
  try {
    const address = page.address("plans", plan.task_id);
    if (json) writeJson(io, { plan_id: plan.task_id, url: address });
    else io.stdout.write(`\nThe plan is at ${plainLine(address)}: change it and run it there. Ctrl-C ends the page.\n`);
    await page.show(address);
    await untilAborted(io.signal);
  } finally {
    await page.close();
  }
  return ExitCode.DONE;
}

/** `run --open`: the live page of the run. */
export async function followOnPage(planloom: Planloom, io: CliIo): Promise<FollowingPage> {
  const page = await openPageServer(planloom, { plans: await planStore(io), command: "run --open" }, io);
  let shown: Promise<void> | undefined;
  let address = page.url;
  return {
    hear({ runId }) {
      if (shown !== undefined) return;
      address = page.address("runs", runId);
      io.stderr.write(`The page is at ${plainLine(address)}\n`);
      shown = page.show(address);
    },
    async stay() {
      await shown;
      await io.ask?.(`\nThe page stays at ${plainLine(address)} until Enter. `);
    },
    async [Symbol.asyncDispose]() {
      await shown;
      await page.close();
    },
  };
}
