import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { LlmController, type Model, type ModelReply } from "@planloom/controller";
import { adaptPlan, EmbeddedController, type RememberedPlan } from "@planloom/embedded";
import { isRecord, type PlannerTaskInput, type Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { Planloom } from "planloom";
import { connectCatalogue } from "./connect-wild.ts";
import { likeGoals } from "./like-goals.ts";
import { type DataSet, type Item, readSets, type Step } from "./plans-data.ts";
import { goldTasks } from "./plans-gold.ts";
import { toResources, toSteps } from "./plans-predict.ts";
import { scorePlans } from "./plans-score.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";
import { readWild, type WildData, type WildGoal, type WildPrediction } from "./wild-data.ts";

/**
 * How often a goal that is like an earlier one gets its plan without a planner, and how often that plan is wrong: `pnpm bench:memory-of-plans --data FOLDER
 * [--wild FOLDER] [--like N] [--list FILE]`.
 *
 * The right plan of every goal of a set is remembered (of the wild goals, the plans of the embedded planner that are right). Then are asked:
 * `repeated`, the same goal; `other values`, the goal with a value of another goal's plan in the place of its own; `asked politely`, the goal with other words around it; `others`, each
 * goal of the set where all but its own are remembered; of the wild goals `other words` and `something else` of `like-goals.ts`. A plan that is reused counts as right
 * where it is the right plan of the goal that was asked, whole.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    wild: { type: "string" },
    like: { type: "string", default: "0.9" },
    list: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (options.data === undefined && options.wild === undefined) {
  process.stderr.write("usage: pnpm bench:memory-of-plans [--data FOLDER] [--wild FOLDER] [--like N] [--list FILE]\n");
  process.exit(2);
}
const minLikeness = Number(options.like);
const clock = { now: "2024-01-01T00:00:00Z", timeZone: "UTC" };
const wildClock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };

/** One goal that was asked. `reused` is undefined where the memory had no plan. */
interface Asked {
  readonly set: string;
  readonly sort: string;
  readonly id: string;
  readonly goal: string;
  readonly reused: "right" | "wrong" | undefined;
  /** Tokens that one call of a model for this plan takes, prompt and answer. */
  readonly tokens: number;
  readonly note?: string;
}

const asked: Asked[] = [];
const milliseconds: number[] = [];
for (const set of options.data === undefined ? [] : readSets(options.data)) asked.push(...(await askSet(set)));
if (options.wild !== undefined) asked.push(...(await askWild(await readWild(options.wild))));

const rows = tableOf(asked);
if (options.list !== undefined) writeFileSync(options.list, asked.map(describe).join(""));
milliseconds.sort((left, right) => left - right);
const at = (share: number) => (milliseconds[Math.floor(share * milliseconds.length)] ?? 0).toFixed(2);
if (options.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else
  process.stdout.write(
    `${markdownTable(rows)}\n\nlikeness at least ${minLikeness}; ms a look into the memory: median ${at(0.5)}, p95 ${at(0.95)}. ${surroundingsText(surroundings())}\n`,
  );

function look(remembered: readonly RememberedPlan[], goal: string, resources: readonly Resource[], when: typeof clock) {
  const before = performance.now();
  const found = adaptPlan(remembered, goal, resources, { ...when, minLikeness });
  milliseconds.push(performance.now() - before);
  return found;
}

async function askSet({ name, items: all }: DataSet): Promise<Asked[]> {
  const items = all.filter(({ gold, context }) => gold.steps.length > 0 && context === undefined);
  const remembered = new Map(items.map((item) => [item.id, remember(item)]));
  const pool = valuesBy(items);
  const found: Asked[] = [];
  for (const item of items) {
    const resources = toResources(item.tools);
    const own = remembered.get(item.id)!;
    const tokens = await tokensOf(item.query, resources, own.tasks, clock);
    const ask = (sort: string, goal: string, gold: readonly Step[], plans: readonly RememberedPlan[]) => {
      const adapted = look(plans, goal, resources, clock);
      const reused =
        adapted && (isRight({ ...item, query: goal, gold: { steps: gold } }, adapted.tasks) ? "right" : "wrong");
      const note =
        adapted &&
        `like ${adapted.likeness.toFixed(2)} from ${adapted.from.goal}\n  ${JSON.stringify(adapted.tasks.map(({ tool_id, arguments: args }) => [tool_id, args]))}\n  gold ${JSON.stringify(gold.map(({ tool, args }) => [tool, args]))}`;
      found.push({ set: name, sort, id: item.id, goal, reused, tokens, ...(note !== undefined && { note }) });
    };
    const { steps } = item.gold;
    ask("repeated", item.query, steps, [own]);
    ask("asked politely", politely(item.query), steps, [own]);
    const other = withOtherValue(item, pool);
    if (other !== undefined) ask("other values", other.query, other.steps, [own]);
    const offered = new Set(item.tools.map((tool) => tool.name));
    const others = items.filter(
      (each) => each.id !== item.id && each.gold.steps.every(({ tool }) => offered.has(tool)),
    );
    if (others.length > 0)
      ask(
        "others",
        item.query,
        steps,
        others.map(({ id }) => remembered.get(id)!),
      );
  }
  return found;
}

function remember(item: Item): RememberedPlan {
  return {
    id: item.id,
    goal: item.query,
    tasks: goldTasks(item.gold.steps),
    madeAt: clock.now,
    timeZone: clock.timeZone,
  };
}

/** As `bench:plans` counts an exact plan: tools, order and arguments; of sets that score less, what they score. */
function isRight(item: Item, tasks: readonly PlannerTaskInput[]): boolean {
  const scores = scorePlans([item], new Map([[item.id, toSteps(tasks)]]));
  return (scores.exactPlan ?? scores.exactGraph ?? scores.exactTools) === 1 && (scores.argValueF1 ?? 1) === 1;
}

function politely(goal: string): string {
  // A quotation that nothing closes would reach into what is put behind it.
  if ((goal.match(/"/g)?.length ?? 0) % 2 === 1) return `Could you please: ${goal}`;
  const [first = ""] = goal.split(/\s/, 1);
  const rest = /^[A-Z][a-z']*$/.test(first) ? goal.charAt(0).toLowerCase() + goal.slice(1) : goal;
  return `Hi, could you please ${rest.replace(/[.!]$/, "")}, thanks!`;
}

/** Values of the gold plans that their goals say as they are, by tool and argument. */
function valuesBy(items: readonly Item[]): ReadonlyMap<string, readonly (string | number)[]> {
  const values = new Map<string, (string | number)[]>();
  for (const { query, gold } of items) {
    for (const { tool, args } of gold.steps) {
      for (const [name, value] of Object.entries(args)) {
        if (!isSaid(value, query)) continue;
        const key = `${tool} ${name}`;
        values.set(key, [...(values.get(key) ?? []), value]);
      }
    }
  }
  return values;
}

function isSaid(value: unknown, query: string): value is string | number {
  const isPlain = typeof value === "number" || (typeof value === "string" && value.length > 1);
  return isPlain && timesSaid(String(value), query) === 1;
}

function timesSaid(value: string, query: string): number {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}.,$-])${escaped(value)}(?![\\p{L}\\p{N}%]|[.,-]\\p{N})`, "gu");
  return [...query.matchAll(pattern)].length;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** The goal with one value replaced by that of another goal for the same argument, and its plan. */
function withOtherValue(
  { query, gold }: Item,
  pool: ReadonlyMap<string, readonly (string | number)[]>,
): { query: string; steps: readonly Step[] } | undefined {
  for (const { tool, args } of gold.steps) {
    for (const [name, value] of Object.entries(args)) {
      if (!isSaid(value, query)) continue;
      const others = pool.get(`${tool} ${name}`) ?? [];
      const other = others.find(
        (each) => typeof each === typeof value && each !== value && !query.includes(String(each)),
      );
      if (other === undefined) continue;
      const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(String(value))}(?![\\p{L}\\p{N}])`, "u");
      const changed = (part: unknown): unknown => {
        if (part === value) return other;
        if (typeof part === "string") return part.replace(new RegExp(pattern, "gu"), () => String(other));
        if (Array.isArray(part)) return part.map(changed);
        return isRecord(part)
          ? Object.fromEntries(Object.entries(part).map(([key, each]) => [key, changed(each)]))
          : part;
      };
      const steps = gold.steps.map((step) => ({ ...step, args: changed(step.args) as Step["args"] }));
      return { query: query.replace(pattern, () => String(other)), steps: steps.map(({ accept: _, ...step }) => step) };
    }
  }
  return undefined;
}

async function askWild(data: WildData): Promise<Asked[]> {
  const found: Asked[] = [];
  const goals = data.goals.filter(({ kind }) => kind === "do");
  for (const catalogue of new Set(goals.map((goal) => goal.catalogue))) {
    await using mcp = await connectCatalogue(data, catalogue);
    const planloom = new Planloom({ controller: new EmbeddedController(wildClock), executors: [mcp.executor] });
    const own = goals.filter((goal) => goal.catalogue === catalogue);
    const remembered: { goal: WildGoal; plan: RememberedPlan }[] = [];
    const tokens = new Map<string, number>();
    for (const goal of own) {
      const plan = await planloom.plan(goal.query).catch(() => undefined);
      tokens.set(goal.id, await tokensOf(goal.query, planloom.resources, plan?.planned_tasks ?? [], wildClock));
      if (plan === undefined || !data.judge(goal, prediction(goal, plan.planned_tasks)).whole) continue;
      const { now: madeAt, timeZone } = wildClock;
      remembered.push({ goal, plan: { id: goal.id, goal: goal.query, tasks: plan.planned_tasks, madeAt, timeZone } });
    }
    const all = remembered.map(({ plan }) => plan);
    const ask = (
      sort: string,
      goal: WildGoal,
      query: string,
      plans: readonly RememberedPlan[],
      isWrongAnyway = false,
    ) => {
      const adapted = look(plans, query, planloom.resources, wildClock);
      const isWhole = adapted && !isWrongAnyway && data.judge(goal, prediction(goal, adapted.tasks)).whole;
      const reused = adapted && (isWhole ? "right" : "wrong");
      const note =
        adapted &&
        `like ${adapted.likeness.toFixed(2)} from ${adapted.from.goal}\n  ${JSON.stringify(adapted.tasks.map(({ tool_id, arguments: args }) => [tool_id, args]))}`;
      found.push({
        set: "wild",
        tokens: tokens.get(goal.id) ?? 0,
        sort,
        id: goal.id,
        goal: query,
        reused,
        ...(note !== undefined && { note }),
      });
    };
    for (const { goal } of remembered) {
      ask("repeated", goal, goal.query, all);
      ask("asked politely", goal, politely(goal.query), all);
      for (const query of likeGoals[goal.id]?.same ?? []) ask("other words", goal, query, all);
      for (const query of likeGoals[goal.id]?.other ?? []) ask("something else", goal, query, all, true);
    }
    for (const goal of own)
      ask(
        "others",
        goal,
        goal.query,
        remembered.filter((each) => each.goal !== goal).map(({ plan }) => plan),
      );
  }
  return found;
}

/** What a model is sent for a plan at the first attempt, and what it writes, at four characters a token. */
async function tokensOf(
  goal: string,
  resources: readonly Resource[],
  tasks: readonly PlannerTaskInput[],
  { now, timeZone }: typeof clock,
): Promise<number> {
  const text = JSON.stringify({
    tasks: tasks.map(({ task_id, tool_id, arguments: args }) => ({ task_id, tool_id, arguments: args })),
  });
  let characters = 0;
  const model: Model = {
    name: "counting",
    async generate({ messages, schema }): Promise<ModelReply> {
      characters = messages.map(({ content }) => content).join("").length + JSON.stringify(schema).length + text.length;
      return { text, toolCalls: [] };
    },
  };
  const controller = new LlmController({ model });
  const planner = new Planner({ controller, resources, maxAttempts: 1, present: () => new Date(now), timeZone });
  // Some right plans do not fit the schemas of their own set; what they cost is known all the same.
  await planner.createPlan(goal).catch(() => undefined);
  return Math.ceil(characters / 4);
}

function prediction({ id }: WildGoal, tasks: readonly PlannerTaskInput[]): WildPrediction {
  return {
    id,
    accepted: true,
    marked: false,
    tasks: tasks.map((task) => {
      const [server = "", ...tool] = (task.tool_id ?? "").split("/");
      return {
        id: task.task_id ?? "",
        server,
        tool: tool.join("/"),
        args: task.arguments ?? {},
        deps: task.dependencies ?? [],
      };
    }),
    unresolved: [],
  };
}

function tableOf(all: readonly Asked[]) {
  const groups = new Map<string, Asked[]>();
  for (const each of all) {
    for (const set of [each.set, "all"]) {
      const key = `${set}\t${each.sort}`;
      groups.set(key, [...(groups.get(key) ?? []), each]);
    }
  }
  return [...groups]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([key, group]) => {
      const [set = "", sort = ""] = key.split("\t");
      const count = (reused: Asked["reused"]) => group.filter((each) => each.reused === reused).length;
      const [right, wrong] = [count("right"), count("wrong")];
      const share = (part: number, of: number) => (of === 0 ? "-" : ((100 * part) / of).toFixed(1));
      return {
        set,
        asked: sort,
        goals: group.length,
        "plan reused, %": share(right + wrong, group.length),
        "calls a plan": (1 - (right + wrong) / group.length).toFixed(2),
        "tokens saved, %": share(
          group.reduce((sum, { reused, tokens }) => sum + (reused === undefined ? 0 : tokens), 0),
          group.reduce((sum, { tokens }) => sum + tokens, 0),
        ),
        "reused and wrong": `${wrong} (${share(wrong, right + wrong)} %)`,
        "of all goals wrong, %": share(wrong, group.length),
      };
    });
}

function describe({ set, sort, id, goal, reused, note }: Asked): string {
  return `${reused ?? "none"} | ${sort} | ${set} | ${id}\n  ${goal}\n${note === undefined ? "" : `  ${note}\n`}`;
}
