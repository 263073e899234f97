import { resolve } from "node:path";
import { diffPlans, renderDiff, SubGraphRePlanner, savePlan, type TaskData } from "planloom";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { savePlanAtHome } from "../home.ts";
import type { CliIo } from "../io.ts";
import { openSession, type SessionOptions } from "../session.ts";
import { findPlan } from "../target.ts";
import { styleFor } from "../terminal/style.ts";

export interface ReplanCommandOptions extends SessionOptions {
  readonly mark?: readonly string[];
  readonly note?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * `planloom replan`: new tasks in the place of the marked ones, and of nothing else. The plan keeps its id and gets a new
 * revision; what changed is shown. With `--out` the plan itself stays as it is.
 */
export async function replan(name: string, options: ReplanCommandOptions, io: CliIo): Promise<number> {
  const { plan: before } = await findPlan(name, io);
  const marked = markTasks(before, options.mark ?? []);
  await using session = await openSession(options, io);
  const style = styleFor(io.stdout, io.env);
  if (options.json !== true) for (const note of session.notes) io.stderr.write(`${note}\n`);
  const { planloom, controller } = session;
  const replanner = new SubGraphRePlanner({ controller, resources: planloom.resources });
  const subgraph = { subgraph_id: before.task_id, tasks: marked.planned_tasks, dependencies: [] };
  const { plan, patch } = await replanner.replaceReplanTasks(subgraph, {
    plan: marked,
    signal: io.signal,
    ...(options.note === undefined ? {} : { customAppendText: options.note }),
  });
  const file = options.out === undefined ? await savePlanAtHome(io, plan) : resolve(io.cwd, options.out);
  if (options.out !== undefined) await savePlan(plan, file, { signal: io.signal });
  const diff = diffPlans(before, plan);
  if (options.json === true) {
    io.stdout.write(`${JSON.stringify({ plan, patch, diff }, null, 2)}\n`);
    return ExitCode.DONE;
  }
  io.stdout.write(renderDiff(diff, { unicode: style.unicode }));
  if (patch?.reason !== undefined) io.stdout.write(`${style.paint("dim", patch.reason)}\n`);
  io.stdout.write(`\nSaved as ${style.paint("bold", plan.task_id)} ${style.paint("dim", `(${file})`)}\n`);
  return ExitCode.DONE;
}

/** The plan with these tasks marked, besides those that are already. */
function markTasks(plan: TaskData, ids: readonly string[]): TaskData {
  const known = new Set(plan.planned_tasks.map(({ task_id }) => task_id));
  const strange = ids.filter((id) => !known.has(id));
  if (strange.length > 0) {
    const names = [...known].slice(0, 20).join(", ");
    throw new CliError(CliErrorCode.USAGE, `The plan has no task ${strange.join(", ")}.`, {
      hint: `Its tasks: ${names}${known.size > 20 ? ", …" : ""}`,
    });
  }
  const wanted = new Set(ids);
  const planned_tasks = plan.planned_tasks.map((task) =>
    wanted.has(task.task_id) ? { ...task, mark_replan: true } : task,
  );
  if (planned_tasks.some(({ mark_replan }) => mark_replan)) return { ...plan, planned_tasks };
  throw new CliError(CliErrorCode.USAGE, "No task is marked.", { hint: "Mark what is to be replaced: --mark ID." });
}
