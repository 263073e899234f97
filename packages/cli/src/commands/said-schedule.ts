import type { TaskData } from "planloom";
import { commandName } from "../command-name.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import { shellWord } from "../terminal/shell-word.ts";

/** How often the goal of a plan is to be carried out, as its planner read it (`metadata.schedule`). */
export interface SaidSchedule {
  /** The words of the goal: "every Monday at 8". */
  readonly text: string;
  /** Absent where no cron pattern says the times. */
  readonly cron?: string;
  /** Ids of the tasks that wait for an approval because a run at once is not what was asked for. */
  readonly held: readonly string[];
}

/** Undefined for a plan whose goal says no such thing. */
export function saidSchedule({ metadata }: TaskData): SaidSchedule | undefined {
  const said = metadata?.schedule as Partial<SaidSchedule> | undefined;
  if (typeof said?.text !== "string") return undefined;
  const { text, cron, held } = said;
  return { text, ...(typeof cron === "string" && { cron }), held: Array.isArray(held) ? held : [] };
}

/** The plan for its schedule: what waited for an approval only because it was no schedule yet does not wait any more. */
export function withoutHold(plan: TaskData, { held }: SaidSchedule): TaskData {
  const tasks = plan.planned_tasks.map((task) => {
    if (!held.includes(task.task_id)) return task;
    const { approval: _, ...rest } = task;
    return rest;
  });
  return { ...plan, planned_tasks: tasks };
}

/** The command that runs a saved plan at the times that its goal says. */
export const scheduleWords = (plan: TaskData, { cron }: SaidSchedule, flags: readonly string[]): readonly string[] => [
  ...["schedule", plan.task_id, "--cron", cron ?? "CRON"],
  ...flags,
];

/** A goal that is to be carried out again and again is not run once. @throws CliError USAGE with the command that schedules it */
export function refuseOnce(plan: TaskData, flags: readonly string[], io: CliIo): void {
  const said = saidSchedule(plan);
  if (said === undefined) return;
  const line = [commandName(io), ...scheduleWords(plan, said, flags).map(shellWord)].join(" ");
  const once = [commandName(io), ...["run", plan.task_id, ...flags].map(shellWord)].join(" ");
  throw new CliError(
    CliErrorCode.USAGE,
    `Nothing was run: "${said.text}" says how often the goal is to be carried out, and a run does it once.`,
    {
      hint: `At these times: ${line}; once, now: ${once}`,
      details: { plan_id: plan.task_id, text: said.text, ...(said.cron !== undefined && { cron: said.cron }) },
    },
  );
}
