import { existsSync } from "node:fs";
import { join } from "node:path";
import { type PlannerTaskInput, PlanningContext, type Resource } from "@planloom/plan";
import { Planloom } from "planloom";
import { connectCatalogue } from "./connect-wild.ts";
import { type Item, isHeldOut, readSets, type Step } from "./plans-data.ts";
import { toResources, toSteps } from "./plans-predict.ts";
import { scorePlans } from "./plans-score.ts";
import { readWild, type WildData, type WildGoal } from "./wild-data.ts";

/** A goal to plan, with what it may be planned with. */
export interface ModelGoal {
  readonly id: string;
  readonly set: string;
  readonly goal: string;
  readonly context?: PlanningContext;
  readonly resources: readonly Resource[];
}

/** What came of a goal. Tasks of goals over real servers are kept as they were planned, others as steps. */
export interface PlannedGoal {
  readonly id: string;
  readonly steps?: readonly Step[];
  readonly tasks?: readonly PlannerTaskInput[];
  readonly valid: boolean;
  /** Names of the required arguments that the plan asks for. */
  readonly missing?: readonly string[];
}

/** Goals of one kind of data, and how plans for them are judged. */
export interface ModelGoals {
  readonly goals: readonly ModelGoal[];
  readonly now: string;
  readonly timeZone: string;
  /** What the journal keeps of a plan. */
  kept(tasks: readonly PlannerTaskInput[]): Pick<PlannedGoal, "steps" | "tasks">;
  /** The measures of these plans, in percent. */
  measures(planned: readonly PlannedGoal[]): Readonly<Record<string, string>>;
}

/**
 * The goals of a folder: those over real servers where it holds `goals.json`, else those of the benchmark's sets: as many as asked for, evenly
 * over the sets and over each set, the same ones each time.
 */
export function readGoals(folder: string, count: number, half: string | undefined): Promise<ModelGoals> {
  return existsSync(join(folder, "goals.json"))
    ? goalsOfServers(folder, count)
    : Promise.resolve(goalsOfSets(folder, count, half));
}

function goalsOfSets(folder: string, count: number, half: string | undefined): ModelGoals {
  const chosen = spread(folder, count, half);
  const items = new Map(chosen.map(({ item }) => [item.id, item]));
  return {
    goals: chosen.map(({ set, item }) => ({
      id: item.id,
      set,
      goal: item.query,
      ...(item.context !== undefined && { context: PlanningContext.parse(item.context) }),
      resources: toResources(item.tools),
    })),
    now: "2024-01-01T00:00:00Z",
    timeZone: "UTC",
    kept: (tasks) => ({ steps: toSteps(tasks) }),
    measures(planned) {
      const scored = planned.filter(({ id }) => items.has(id));
      const scores = scorePlans(
        scored.map(({ id }) => items.get(id)!),
        new Map(scored.map(({ id, steps = [] }) => [id, steps])),
      );
      return {
        "right tools, %": percent(scores.exactTools),
        "exact plans, %": percent(scores.exactPlan),
        "call F1": percent(scores.callF1),
        "value F1": percent(scores.argValueF1),
        "reference F1": percent(scores.refF1),
      };
    },
  };
}

/** As many items of each set as of any other, spread over it. */
function spread(data: string, count: number, half: string | undefined): { set: string; item: Item }[] {
  const sets = readSets(data).map(({ name, items }) => ({
    name,
    items: items.filter(
      ({ id, gold }) => gold.steps.length > 0 && (half === undefined || isHeldOut(id) === (half === "held")),
    ),
  }));
  const chosen: { set: string; item: Item }[] = [];
  for (let round = 0; chosen.length < count && round < count; round += 1) {
    for (const { name, items } of sets) {
      const each = Math.ceil(count / sets.length);
      const item = items[Math.floor(((round + 0.5) * items.length) / each)];
      // Of a set with fewer items than places some places have the same one.
      const isNew = item !== undefined && !chosen.some((other) => other.item === item);
      if (isNew && round < each && chosen.length < count) chosen.push({ set: name, item });
    }
  }
  return chosen;
}

async function goalsOfServers(folder: string, count: number): Promise<ModelGoals> {
  const data = await readWild(folder);
  const goals: ModelGoal[] = [];
  const places = new Set(
    Array.from({ length: count }, (_, at) => Math.floor(((at + 0.5) * data.goals.length) / count)),
  );
  const chosen = data.goals.filter((_, at) => places.has(at));
  for (const catalogue of new Set(chosen.map((goal) => goal.catalogue))) {
    const resources = await resourcesOf(data, catalogue);
    for (const { id, query } of chosen.filter((each) => each.catalogue === catalogue))
      goals.push({ id, set: catalogue, goal: query, resources });
  }
  const byId = new Map(data.goals.map((goal) => [goal.id, goal]));
  return {
    goals,
    now: "2026-11-18T10:00:00+01:00",
    timeZone: "Europe/Berlin",
    kept: (tasks) => ({ tasks }),
    measures(planned) {
      const verdicts = planned.flatMap((each) => {
        const goal = byId.get(each.id);
        return goal === undefined ? [] : [{ goal, ...judged(data, goal, each) }];
      });
      const share = (kind: WildGoal["kind"], test: (verdict: (typeof verdicts)[number]) => boolean) => {
        const own = verdicts.filter(({ goal }) => goal.kind === kind);
        return own.length === 0 ? "-" : `${percent(own.filter(test).length / own.length)} (of ${own.length})`;
      };
      return {
        "right tools, %": share("do", ({ tools }) => tools),
        "whole plans, %": share("do", ({ whole }) => whole),
        "impossible, refused, %": share("impossible", ({ whole }) => whole),
        "ambiguous, asked, %": share("ambiguous", ({ whole }) => whole),
      };
    },
  };
}

/** What a server's tools are as resources, over the whole path from a server. */
async function resourcesOf(data: WildData, catalogue: string): Promise<readonly Resource[]> {
  await using mcp = await connectCatalogue(data, catalogue);
  return new Planloom({ executors: [mcp.executor] }).resources.filter(({ kind }) => kind === "tool");
}

function judged(data: WildData, goal: WildGoal, { tasks = [], valid, missing = [], id }: PlannedGoal) {
  return data.judge(goal, {
    id,
    accepted: valid,
    marked: missing.length > 0,
    tasks: tasks.map(({ task_id = "", tool_id, arguments: given = {}, dependencies = [] }) => {
      const [server = "", ...tool] = (tool_id ?? "").split("/");
      return { id: task_id, server, tool: tool.join("/"), args: given, deps: dependencies };
    }),
    unresolved: missing.map((text) => ({ reason: "missing_argument", text, message: "" })),
  });
}

const percent = (share: number | null) => (share === null ? "-" : (100 * share).toFixed(1));
