import type { Schedule, ScheduleOptions, Schedules } from "planloom/schedules";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { openJournal } from "../journals.ts";
import { type ConfirmOptions, confirmGiven } from "../options/confirm.ts";
import { parseVariables } from "../options/variables.ts";
import { openSession, portableOptions, type SessionOptions } from "../session.ts";
import { findPlan } from "../target.ts";
import { plainLine, type Style, styleFor } from "../terminal/style.ts";
import { renderRows } from "../terminal/table.ts";
import { nextSteps } from "./next-steps.ts";
import { saidSchedule, withoutHold } from "./said-schedule.ts";

export interface ScheduleCommandOptions extends SessionOptions, ConfirmOptions {
  readonly cron?: string;
  readonly zone?: string;
  readonly id?: string;
  readonly overlap?: ScheduleOptions["overlap"];
  readonly catchUp?: ScheduleOptions["catchUp"];
  readonly var?: readonly string[];
  readonly list?: boolean;
  readonly pause?: string;
  readonly continue?: string;
  readonly delete?: string;
  readonly history?: string;
  readonly json?: boolean;
}

/** `planloom schedule`: runs a plan at the times of a cron pattern; lists, pauses and deletes schedules. */
export async function schedule(name: string | undefined, options: ScheduleCommandOptions, io: CliIo): Promise<number> {
  const { list, pause, continue: resumed, delete: deleted, history } = options;
  const asked = [list && "--list", pause, resumed, deleted, history].filter(
    (each) => each !== undefined && each !== false,
  );
  if (asked.length + (name === undefined ? 0 : 1) !== 1)
    throw new CliError(
      CliErrorCode.USAGE,
      "Expected one of a plan with --cron, --list, --pause ID, --continue ID, --delete ID and --history ID.",
    );
  if (name !== undefined) return add(name, options, io);
  const style = styleFor(io.stdout, io.env);
  return withSchedules(io, async (schedules) => {
    if (deleted !== undefined) {
      await schedules.delete(deleted);
      if (options.json === true) writeJson(io, { deleted });
      else io.stdout.write(`Deleted ${plainLine(deleted)}. Its runs stay.\n`);
    } else if (history !== undefined) {
      const fires = await schedules.history(history);
      // A message is there where no run was started.
      const columns = [
        "due (UTC)",
        "what became of it",
        "run",
        ...(fires.some(({ message }) => message) ? ["why"] : []),
      ];
      const rows = fires.map(({ due_at, state, run_id = "", message = "" }) =>
        [minuteOf(due_at), state, run_id, message].slice(0, columns.length).map(plainLine),
      );
      if (options.json === true) writeJson(io, { history: fires });
      else if (rows.length === 0) io.stdout.write("No time was due yet.\n");
      else io.stdout.write(`${renderRows(columns, rows, style, { whole: new Set([2]) })}\n`);
    } else if (list === true) {
      const known = await schedules.list();
      if (options.json === true) writeJson(io, { schedules: known });
      else io.stdout.write(known.length === 0 ? "There is no schedule.\n" : `${scheduleRows(known, style)}\n`);
    } else {
      const changed = await schedules.pause((pause ?? resumed)!, pause !== undefined);
      if (options.json === true) writeJson(io, changed);
      else io.stdout.write(`${scheduleRows([changed], style)}\n`);
    }
    return ExitCode.DONE;
  });
}

async function add(name: string, options: ScheduleCommandOptions, io: CliIo): Promise<number> {
  const { zone, id, overlap, catchUp } = options;
  const { plan } = await findPlan(name, io);
  const said = saidSchedule(plan);
  const cron = options.cron ?? said?.cron;
  if (cron === undefined)
    throw new CliError(CliErrorCode.USAGE, "Expected --cron with the times of the plan.", {
      hint: `Every Monday at nine: --cron "0 9 * * 1" --zone Europe/Berlin`,
      details: { option: "--cron" },
    });
  const variables = options.var === undefined ? undefined : parseVariables(options.var);
  const confirm = confirmGiven(options);
  const { allow } = options;
  const approval = { ...(allow !== undefined && { allow }), ...(confirm !== undefined && { confirm }) };
  await using session = await openSession(options, io, { journal: true });
  const made = await session.planloom.schedule(said === undefined ? plan : withoutHold(plan, said), {
    cron,
    // Times of a person are those of where they are.
    zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    metadata: { cli: portableOptions(options, io) },
    ...(id !== undefined && { id }),
    ...(overlap !== undefined && { overlap }),
    ...(catchUp !== undefined && { catchUp }),
    ...(variables !== undefined && { variables }),
    ...(Object.keys(approval).length > 0 && { approval }),
  });
  if (options.json === true) {
    writeJson(io, made);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(`${scheduleRows([made], style)}\n`);
  io.stdout.write(nextSteps([["scheduler"], ["schedule", "--history", made.schedule_id]], style, io));
  return ExitCode.DONE;
}

async function withSchedules(io: CliIo, use: (schedules: Schedules) => Promise<number>): Promise<number> {
  const { Schedules } = await import("planloom/schedules");
  const journal = await openJournal(io);
  const schedules = await Schedules.open(journal);
  try {
    return await use(schedules);
  } finally {
    await schedules.close();
    await journal.close();
  }
}

function scheduleRows(schedules: readonly Schedule[], style: Style): string {
  // Columns on the right are left out of narrow terminals: when it fires next is what a list is looked at for.
  const rows = schedules.map(({ schedule_id, title, cron, zone, paused, next_at }) =>
    [schedule_id, paused ? "paused" : minuteOf(next_at), title, cron, zone].map(plainLine),
  );
  return renderRows(["id", "next (UTC)", "what", "cron", "zone"], rows, style, { whole: new Set([0]) });
}

/** `2026-12-01 09:00` of an ISO 8601 time in UTC. */
const minuteOf = (time: string | undefined) => (time === undefined ? "never" : time.slice(0, 16).replace("T", " "));
