import type { TaskData } from "planloom";
import type { GroupedPlan } from "planloom/dispatch";
import { planGraphs } from "planloom/optimizer";
import { withInnerTasks } from "planloom/plan";
import type { DryStep } from "planloom/runtime";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import type { Session } from "../session.ts";
import { count, duration, plainLine, styleFor } from "../terminal/style.ts";
import { wrapped } from "../terminal/wrap.ts";
import { converterLine } from "../views/asked-view.ts";
import { elementCalls } from "../views/element-calls.ts";
import { section } from "../views/heading.ts";
import { ratesText } from "../views/plan-view.ts";

/** Before what is said of a step. */
const INDENT = 13;

/** In the place of a resource, for a task that names none. */
function unnamed({ inner, branches }: DryStep): string {
  if (inner !== undefined) return "several calls";
  return branches === undefined ? "chosen in Stage 2" : "decides by conditions";
}

/** How often and when it is executed. */
function flowLines({ elements, inner = [], condition, branches }: DryStep): string[] {
  const lines: string[] = [];
  if (elements !== undefined) {
    const { items, known } = elements;
    lines.push(known ? `${count(items, "element")}` : `some elements (taken for ${items}: the list is not known yet)`);
  }
  for (const { task_id, uid = "chosen in Stage 2", calls } of inner)
    lines.push(`${task_id}: ${uid}, ${count(calls, "call")}`);
  if (condition !== undefined) lines.push(`only when ${condition}`);
  if (branches !== undefined) lines.push(`takes one of ${branches.join(", ")}`);
  return lines;
}

function callsOf({ calls }: { readonly calls: Readonly<Record<string, number>> }): number {
  return Object.values(calls).reduce((sum, each) => sum + each, 0);
}

/** The steps when they would begin where subgraphs are dispatched, in that order. */
function dispatchedSteps(plan: TaskData, steps: readonly DryStep[], grouped: GroupedPlan): DryStep[] {
  const { tasks } = planGraphs(plan, grouped);
  return steps
    .map((step) => ({ ...step, start_ms: tasks.getNodeAttribute(step.task_id, "startMs") }))
    .sort((left, right) => left.start_ms - right.start_ms);
}

/**
 * What a run would do: order, resources and resolved arguments. Nothing is executed.
 * @param options.grouped where subgraphs would be dispatched: times are those of the dispatches, not those of tasks that start one by one
 */
export async function dryRun(
  plan: TaskData,
  session: Session,
  options: { json: boolean; variables: Record<string, unknown>; grouped: GroupedPlan | undefined },
  io: CliIo,
): Promise<number> {
  const estimated = await session.planloom.estimate(plan, { signal: io.signal });
  const { grouped } = options;
  const streamed = session.planloom.dryRun(estimated.plan, { variables: options.variables });
  const trace =
    grouped === undefined
      ? streamed
      : {
          ...streamed,
          steps: dispatchedSteps(plan, streamed.steps, grouped),
          predictedMs: grouped.predictedMs,
        };
  if (options.json) {
    writeJson(io, trace);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  const tasks = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  io.stdout.write(section("Dry run", "nothing is executed; <…> is an output that is not known yet", style));
  for (const step of trace.steps) {
    const task = tasks.get(step.task_id);
    const needed = task?.dependencies ?? [];
    const after = needed.length === 0 ? "" : style.paint("dim", `  after ${needed.map(plainLine).join(", ")}`);
    const at = style.paint("dim", `+${duration(step.start_ms)}`.padStart(9));
    const resource = style.paint("dim", plainLine(step.uid ?? step.waits ?? unnamed(step)));
    io.stdout.write(`  ${at}  ${style.paint("bold", plainLine(step.task_id))}  ${resource}${after}\n`);
    for (const [key, value] of Object.entries(step.input)) {
      const lines = wrapped(`${key}: ${JSON.stringify(value)}`, style.width - INDENT - 2);
      io.stdout.write(lines.map((line, at) => `${" ".repeat(at === 0 ? INDENT : INDENT + 2)}${line}\n`).join(""));
    }
    for (const line of flowLines(step))
      io.stdout.write(`${" ".repeat(INDENT)}${style.paint("dim", plainLine(line))}\n`);
    if (step.convertor_code !== undefined) io.stdout.write(converterLine(step.convertor_code, INDENT, style));
    io.stdout.write(elementCalls(task, style, new Set(), INDENT));
    if (step.needs_approval) io.stdout.write(`${" ".repeat(INDENT)}${style.paint("yellow", "waits for approval")}\n`);
    if (step.unavailable !== undefined) {
      io.stdout.write(
        `${" ".repeat(INDENT)}${style.paint("yellow", `would be skipped: ${plainLine(step.unavailable)}`)}\n`,
      );
    }
  }
  for (const { code, task_id, message } of trace.issues) {
    if (code !== "unknown_secret") continue;
    io.stdout.write(`\n  ${style.paint("yellow", plainLine(`${task_id ?? ""}: ${message}`))}\n`);
  }
  const tokens = trace.tokens === undefined ? "" : `, ${count(trace.tokens, "token")}`;
  const isConditional = withInnerTasks(plan.planned_tasks).some(({ when }) => when !== undefined);
  const assumed = isConditional ? " if all conditions hold" : "";
  const cost = trace.cost === undefined ? "" : `, cost ${trace.cost}`;
  io.stdout.write(
    `\n  predicted ${duration(trace.predictedMs)}, ${count(callsOf(trace), "call")}${assumed}${tokens}${cost}\n`,
  );
  // Of dispatches the prediction above has said it.
  const held = grouped === undefined ? ratesText(trace.rates ?? []).trim() : "";
  if (held !== "") io.stdout.write(`  ${style.paint("dim", held)}\n`);
  return ExitCode.DONE;
}
