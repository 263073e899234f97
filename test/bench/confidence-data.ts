import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PlannerTaskInput, Resource } from "@planloom/plan";
import { evidenceOf, type PlanEvidence } from "../../packages/embedded/src/confidence/plan-evidence.ts";
import { readPlan } from "../../packages/embedded/src/plan-goal.ts";
import type { PlanRead } from "../../packages/embedded/src/plan-read.ts";
import { connectCatalogue } from "./connect-wild.ts";
import { isHeldOut, readSets } from "./plans-data.ts";
import { circumstances, toResources, toSteps } from "./plans-predict.ts";
import { scorePlans } from "./plans-score.ts";
import { readWild, type WildGoal, type WildPrediction } from "./wild-data.ts";

/** A plan of functions, with what is known of it and what came of it. */
export interface JudgedPlan {
  /** What is left out together when it is forecast: a catalogue, or a benchmark. */
  readonly group: string;
  /** `without`: the tools of the right plan were taken away before it was made. */
  readonly kind: WildGoal["kind"] | "without";
  /** Of a public benchmark, not of a goal over real servers. */
  readonly isBenchmark: boolean;
  readonly id: string;
  readonly evidence: PlanEvidence;
  /** Exactly the right tools. */
  readonly tools: boolean;
  /** The whole plan is right; absent where a benchmark does not say what arguments are. */
  readonly right?: boolean;
  /** Something about it is open, so that it is marked whatever its number. */
  readonly noted: boolean;
}

const wildClock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
/** A catalogue is not asked once fewer tools are left. */
const minTools = 4;

/** Plans of the goals in a folder over real servers, and plans of the same goals without the tools that serve them. */
export async function wildPlans(folder: string): Promise<JudgedPlan[]> {
  const data = await readWild(folder);
  const plans: JudgedPlan[] = [];
  for (const catalogue of new Set(data.goals.map((goal) => goal.catalogue))) {
    await using mcp = await connectCatalogue(data, catalogue);
    for (const goal of data.goals.filter((each) => each.catalogue === catalogue)) {
      const read = readPlan(goal.query, mcp.resources, wildClock);
      const about = { group: catalogue, id: goal.id, isBenchmark: false };
      const { whole, tools } = data.judge(goal, predictionOf(goal, read));
      plans.push(...judged(read, { ...about, kind: goal.kind, right: whole, tools }));
      if (goal.kind !== "do") continue;
      const right = [goal.gold, ...(goal.alternatives ?? [])].flatMap(({ steps }) => steps.map(({ tool }) => tool));
      const less = withoutTools(mcp.resources, new Set(right));
      if (less !== undefined) plans.push(...judged(readPlan(goal.query, less, wildClock), { ...about, ...without }));
    }
  }
  return plans;
}

const without = { kind: "without", right: false, tools: false } as const;

/** The other tools; undefined where too few are left to look for any. */
function withoutTools(resources: readonly Resource[], right: ReadonlySet<string>): Resource[] | undefined {
  const less = resources.filter(({ id }) => !right.has(id) && !right.has(id.split("/").slice(1).join("/")));
  return less.length < minTools ? undefined : less;
}

/** Likewise of the half of each benchmark that is worked on. */
export function benchmarkPlans(folder: string): JudgedPlan[] {
  return readSets(folder).flatMap(({ name, items }) => {
    const known = new Map<string, Resource[]>();
    return items
      .filter((item) => !isHeldOut(item.id))
      .flatMap((item) => {
        const key = JSON.stringify(item.tools);
        const resources = known.get(key) ?? toResources(item.tools);
        known.set(key, resources);
        const read = readPlan(item.query, resources, circumstances(item));
        const scores = scorePlans([item], new Map([[item.id, toSteps(read.planned.plan.planned_tasks)]]));
        const about = { group: name, id: item.id, isBenchmark: true };
        const saysArguments = (item.scope ?? ["args"]).includes("args");
        const verdict = { tools: scores.exactTools === 1, ...(saysArguments && { right: scores.exactPlan === 1 }) };
        const own = judged(read, { ...about, kind: "do", ...verdict });
        const less = withoutTools(resources, new Set(item.gold.steps.map(({ tool }) => tool)));
        if (less === undefined) return own;
        return [...own, ...judged(readPlan(item.query, less, circumstances(item)), { ...about, ...without })];
      });
  });
}

/** Plans of records, of exact calls alone, and empty ones have no evidence to learn from. */
function judged(
  { planned, reading, readBy }: PlanRead,
  about: Omit<JudgedPlan, "evidence" | "noted">,
): readonly JudgedPlan[] {
  if (planned.plan.planned_tasks.length === 0 || !readBy.includes("functions")) return [];
  return [{ ...about, evidence: evidenceOf(reading), noted: planned.unresolved.length > 0 }];
}

function predictionOf({ id }: WildGoal, { planned }: PlanRead): WildPrediction {
  const tasks = planned.plan.planned_tasks.map(callOf);
  return { id, accepted: true, marked: false, tasks, unresolved: planned.unresolved };
}

/** A task as the scorer of goals over real servers takes it. */
export function callOf(task: PlannerTaskInput): WildPrediction["tasks"][number] {
  const [server = "", ...tool] = (task.tool_id ?? "").split("/");
  return {
    id: task.task_id ?? "",
    server,
    tool: tool.join("/"),
    args: task.arguments ?? {},
    deps: task.dependencies ?? [],
  };
}

/** SHA-256 over the data files of folders, 16 hex digits: which data weights were learned from. */
export function hashOf(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders)
    for (const name of readdirSync(folder)
      .filter((each) => /\.json(?:\.gz)?$/.test(each))
      .sort())
      hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}
