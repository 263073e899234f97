import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type BehaviorController, HybridController, LlmController, openaiModel } from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import { Planner, PlannerError, type PlannerEvent } from "@planloom/planner";
import { type Item, isHeldOut, readSets, type Step } from "./plans-data.ts";
import { toResources, toSteps } from "./plans-predict.ts";
import { scorePlans } from "./plans-score.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

/**
 * How well a real model plans: `pnpm bench:models --data FOLDER --url URL --model NAME [--arm llm|hybrid|embedded …] [--items N]
 * [--half worked|held] [--journal FILE] [--jobs N]`.
 *
 * N items (200 by default), spread evenly over the sets of the benchmark and over each set. Every result is a line of the journal;
 * a bench that is started again with the same journal goes on where it stopped. "Valid at once" are plans of the first answer. Tokens are
 * those that the endpoint counts.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    url: { type: "string", default: process.env.OPENAI_BASE_URL ?? "" },
    model: { type: "string", default: process.env.PLANLOOM_MODEL ?? "" },
    arm: { type: "string", multiple: true, default: ["llm"] },
    items: { type: "string", default: "200" },
    half: { type: "string" },
    journal: { type: "string" },
    jobs: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const count = Number(options.items);
const jobs = Number(options.jobs);
/** Characters of an answer that the journal keeps. */
const maxAnswer = 4_000;
const known = ["embedded", "llm", "hybrid"];
if (
  options.data === undefined ||
  !(count >= 1) ||
  !(jobs >= 1) ||
  options.arm.some((arm) => !known.includes(arm)) ||
  (options.arm.some((arm) => arm !== "embedded") && (options.url === "" || options.model === ""))
) {
  process.stderr.write(
    "usage: pnpm bench:models --data FOLDER --url URL --model NAME [--arm llm|hybrid|embedded …] [--items N] [--journal FILE] [--jobs N]\n",
  );
  process.exit(2);
}

interface Outcome {
  readonly arm: string;
  readonly id: string;
  readonly set: string;
  readonly steps: readonly Step[];
  readonly valid: boolean;
  readonly attempts: number;
  readonly calls: number;
  readonly sent: number;
  readonly written: number;
  readonly ms: number;
  readonly error?: string;
  /** The planner's own number for the whole plan. */
  readonly confidence?: number;
  /** What the model wrote, an answer a text. */
  readonly answers?: readonly string[];
}

const items = spread(options.data, count, options.half);
const outcomes: Outcome[] = readJournal(options.journal);
const done = new Set(outcomes.map(({ arm, id }) => `${arm} ${id}`));
for (const arm of options.arm) {
  const waiting = items.filter(({ item }) => !done.has(`${arm} ${item.id}`));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const outcome = await plan(arm, next.set, next.item);
      outcomes.push(outcome);
      if (options.journal !== undefined) appendFileSync(options.journal, `${JSON.stringify(outcome)}\n`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}
const rows = options.arm.map((arm) => rowOf(arm, outcomes));
process.stdout.write(
  options.json
    ? `${JSON.stringify(rows)}\n`
    : `${markdownTable(rows)}\n\n${items.length} items; ${options.model}. ${surroundingsText(surroundings())}\n`,
);

function controllerOf(arm: string): BehaviorController {
  const embedded = () => new EmbeddedController({ now: "2024-01-01T00:00:00Z", timeZone: "UTC" });
  if (arm === "embedded") return embedded();
  const { url, model: name } = options;
  const model = openaiModel({
    baseURL: url,
    model: name,
    apiKey: process.env.OPENAI_API_KEY ?? "none",
    timeoutMs: 900_000,
  });
  const llm = new LlmController({ model });
  return arm === "llm" ? llm : new HybridController({ draft: embedded(), refine: llm });
}

async function plan(arm: string, set: string, item: Item): Promise<Outcome> {
  const spent = { attempts: 0, calls: 0, sent: 0, written: 0 };
  const onEvent = (event: PlannerEvent) => {
    if (event.type !== "plan-attempt") return;
    spent.attempts += 1;
    for (const { reply } of event.calls) {
      if (reply !== undefined) answers.push(reply.text.slice(0, maxAnswer));
      spent.calls += 1;
      spent.sent += reply?.usage?.inputTokens ?? 0;
      spent.written += reply?.usage?.outputTokens ?? 0;
    }
  };
  const answers: string[] = [];
  const began = performance.now();
  const about = { arm, id: item.id, set };
  const settled = (steps: readonly Step[], valid: boolean): Outcome => ({
    ...about,
    steps,
    valid,
    ...spent,
    ms: Math.round(performance.now() - began),
    ...(answers.length > 0 && { answers }),
  });
  const planner = new Planner({
    controller: controllerOf(arm),
    resources: toResources(item.tools),
    present: () => new Date("2024-01-01T00:00:00Z"),
    timeZone: "UTC",
    onEvent,
  });
  try {
    const context = item.context === undefined ? {} : { context: item.context };
    const { planned_tasks, metadata } = await planner.createPlan(item.query, context);
    const confidence = metadata?.confidence;
    return { ...settled(toSteps(planned_tasks), true), ...(typeof confidence === "number" && { confidence }) };
  } catch (error) {
    const failure = error instanceof Error ? error.message.slice(0, 300) : String(error);
    // A plan that lacks an argument is scored as it is, and is not valid.
    const draft = error instanceof PlannerError ? error.details.draft : undefined;
    const tasks = (draft as { planned_tasks?: Parameters<typeof toSteps>[0] } | undefined)?.planned_tasks ?? [];
    return { ...settled(toSteps(tasks), false), error: failure };
  }
}

function rowOf(arm: string, all: readonly Outcome[]): Record<string, string | number> {
  const own = new Map(all.filter((outcome) => outcome.arm === arm).map((outcome) => [outcome.id, outcome]));
  const scored = items.filter(({ item }) => own.has(item.id));
  const found = scored.map(({ item }) => own.get(item.id)!);
  const scores = scorePlans(
    scored.map(({ item }) => item),
    new Map(found.map(({ id, steps }) => [id, steps])),
  );
  const percent = (share: number | null) => (share === null ? "-" : (100 * share).toFixed(1));
  const share = (hits: readonly Outcome[]) => percent(found.length === 0 ? null : hits.length / found.length);
  const mean = (read: (outcome: Outcome) => number) =>
    found.length === 0 ? 0 : found.reduce((sum, outcome) => sum + read(outcome), 0) / found.length;
  return {
    arm,
    plans: found.length,
    "valid at once, %": share(found.filter(({ valid, attempts }) => valid && attempts <= 1)),
    "valid, %": share(found.filter(({ valid }) => valid)),
    "right tools, %": percent(scores.exactTools),
    "exact plans, %": percent(scores.exactPlan),
    "call F1": percent(scores.callF1),
    "value F1": percent(scores.argValueF1),
    "reference F1": percent(scores.refF1),
    "tokens sent": Math.round(mean(({ sent }) => sent)),
    written: Math.round(mean(({ written }) => written)),
    "calls a plan": mean(({ calls }) => calls).toFixed(2),
    "s a plan": mean(({ ms }) => ms / 1_000).toFixed(1),
  };
}

/** As many items of each set as of any other, spread over it; the same ones each time. */
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
      if (item !== undefined && round < each && chosen.length < count) chosen.push({ set: name, item });
    }
  }
  return chosen;
}

function readJournal(file: string | undefined): Outcome[] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Outcome);
}
