import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { TaskData } from "planloom";
import { dialects } from "planloom/plan";
import { CliError, CliErrorCode, SharedErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, escapedOdd, hasOdd, jsonText, writeJson } from "../io.ts";
import { loadLaboratory, type Workload } from "../laboratory.ts";
import { findPlan } from "../target.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { issueList } from "../views/plan-view.ts";

export interface ConvertOptions {
  readonly to: string;
  readonly format?: "json" | "yaml";
  readonly out?: string;
  readonly json?: boolean;
}

/** `planloom convert`: a plan in another planner's form, or one of theirs in ours. What the form cannot say is refused. */
export async function convert(name: string, options: ConvertOptions, io: CliIo): Promise<number> {
  const { plan, reading } = await findPlan(name, io);
  const format = options.format ?? (isYaml(options.out) ? "yaml" : "json");
  const text = await write(plan, options.to, format);
  if (reading.issues.length > 0 && options.json !== true)
    io.stderr.write(issueList(reading.issues, styleFor(io.stderr, io.env)));
  if (options.out === undefined) {
    io.stdout.write(text);
    return ExitCode.DONE;
  }
  const file = resolve(io.cwd, options.out);
  try {
    await writeFile(file, text, { signal: io.signal });
  } catch (cause) {
    if (io.signal.aborted) throw cause;
    throw new CliError(CliErrorCode.USAGE, `Cannot write ${file}: ${(cause as Error).message}`, {
      details: { option: "--out", file },
      cause,
    });
  }
  const about = { file, from: reading.dialect, to: options.to, tasks: plan.planned_tasks.length };
  if (options.json === true) writeJson(io, about);
  else io.stdout.write(`${plainLine(file)}: ${options.to}, read as ${reading.dialect}\n`);
  return ExitCode.DONE;
}

async function write(plan: TaskData, to: string, format: "json" | "yaml"): Promise<string> {
  if (to === "dot") return (await loadLaboratory()).workloadDot(await workloadOf(plan));
  const value = await recordOf(plan, to);
  if (format === "json") return jsonText(value);
  const { stringify } = await import("yaml");
  const text = stringify(value);
  if (!hasOdd(text)) return text;
  // Only texts in double quotes have escapes.
  return escapedOdd(stringify(value, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" }));
}

async function recordOf(plan: TaskData, to: string): Promise<unknown> {
  if (to === "plan-workload") return (await loadLaboratory()).planWorkload(await workloadOf(plan));
  if (to === "wfformat") return (await loadLaboratory()).workloadWfFormat(await workloadOf(plan));
  const dialect = Object.values(dialects).find(({ name }) => name === to);
  return dialect === undefined ? withoutDefaults(plan) : dialect.write(plan);
}

/** The graph of a plan and its estimates: what the formats of workloads hold. @throws CliError INVALID_PLAN */
async function workloadOf(plan: TaskData): Promise<Workload> {
  const { workloads, defective } = (await loadLaboratory()).readWorkloads(plan, plan.title || plan.task_id);
  const [workload] = workloads;
  if (workload !== undefined) return workload;
  throw new CliError(SharedErrorCode.INVALID_PLAN, defective[0]?.reason ?? "The plan has no tasks.");
}

/** What a person would write: without what is there by default, and without the times at which a file was read. */
function withoutDefaults(plan: TaskData): object {
  const planned_tasks = plan.planned_tasks.map((task) => {
    const ofPlan = task.main_task_id === plan.task_id;
    return said({ ...task, main_task_id: ofPlan ? "" : task.main_task_id });
  });
  return said({ ...plan, planned_tasks });
}

function said(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => !times.has(key) && !isDefault(value)));
}

const times: ReadonlySet<string> = new Set(["creation_time", "last_update_time", "update_time"]);

function isDefault(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false || value === "pending") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function isYaml(file = ""): boolean {
  return [".yaml", ".yml"].includes(extname(file).toLowerCase());
}
