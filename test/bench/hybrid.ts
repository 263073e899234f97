import { parseArgs } from "node:util";
import {
  type BehaviorController,
  HybridController,
  LlmController,
  type Model,
  type ModelReply,
} from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { Planner, type PlannerEvent } from "@planloom/planner";
import { type DataSet, type Item, readSets } from "./plans-data.ts";
import { goldTasks } from "./plans-gold.ts";
import { toResources, toSteps } from "./plans-predict.ts";
import { scorePlans } from "./plans-score.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

/**
 * What a plan costs with `--controller hybrid` and with `llm`: `pnpm bench:hybrid --data FOLDER|FILE [--every N] [--json]`.
 *
 * The model is scripted and knows each item's gold plan. So both come to the same plan wherever a model is asked, and the difference is
 * how often it is. A token is taken as four characters of JSON; messages and schema count as sent.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string", multiple: true },
    every: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
if (options.data === undefined || !/^[1-9]\d*$/.test(options.every)) {
  process.stderr.write("usage: pnpm bench:hybrid --data FOLDER|FILE.json[.gz] [--every N] [--json]\n");
  process.exit(2);
}

interface Cost {
  readonly sent: number;
  readonly written: number;
  readonly calls: number;
  readonly exact: boolean;
  readonly exactTools: boolean;
}

const rows = [];
for (const set of options.data.flatMap(readSets)) rows.push(await measureSet(set));
if (options.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else process.stdout.write(`${markdownTable(rows)}\n\n${surroundingsText(surroundings())}\n`);

async function measureSet({ name, items: all }: DataSet) {
  const items = all.filter((item, at) => at % Number(options.every) === 0 && item.gold.steps.length > 0);
  const pairs: { llm: Cost; hybrid: Cost }[] = [];
  for (const item of items) {
    const resources = toResources(item.tools);
    const llm = await planWith(item, resources, (model) => new LlmController({ model }));
    const hybrid = await planWith(item, resources, (model) => {
      const draft = new EmbeddedController({ now: "2024-01-01T00:00:00Z", timeZone: "UTC" });
      return new HybridController({ draft, refine: new LlmController({ model }) });
    });
    if (llm !== undefined && hybrid !== undefined) pairs.push({ llm, hybrid });
  }
  const mean = (read: (pair: (typeof pairs)[number]) => number) =>
    pairs.length === 0 ? 0 : pairs.reduce((sum, pair) => sum + read(pair), 0) / pairs.length;
  const silent = pairs.filter(({ hybrid }) => hybrid.calls === 0);
  const share = (part: number, of: number) => (of === 0 ? "-" : (100 * (part / of)).toFixed(0));
  const total = ({ sent, written }: Cost) => sent + written;
  return {
    set: name,
    plans: pairs.length,
    "llm: sent": Math.round(mean(({ llm }) => llm.sent)),
    "llm: written": Math.round(mean(({ llm }) => llm.written)),
    "hybrid: sent": Math.round(mean(({ hybrid }) => hybrid.sent)),
    "hybrid: written": Math.round(mean(({ hybrid }) => hybrid.written)),
    "tokens saved, %": share(
      mean(({ llm, hybrid }) => total(llm) - total(hybrid)),
      mean(({ llm }) => total(llm)),
    ),
    "without a call, %": share(silent.length, pairs.length),
    "of these the same tools, %": share(silent.filter(({ hybrid }) => hybrid.exactTools).length, silent.length),
    "all the same plan, %": share(pairs.filter(({ hybrid }) => hybrid.exact).length, pairs.length),
  };
}

/** `undefined` when no valid plan came of it: some gold plans do not fit their own schemas. */
async function planWith(
  item: Item,
  resources: readonly Resource[],
  controllerOf: (model: Model) => BehaviorController,
): Promise<Cost | undefined> {
  const gold = goldTasks(item.gold.steps);
  const cost = { sent: 0, written: 0, calls: 0 };
  const model: Model = {
    name: "gold",
    async generate(request): Promise<ModelReply> {
      const text = JSON.stringify({ tasks: gold });
      cost.calls += 1;
      cost.sent += tokens(request.messages.map(({ content }) => content).join("") + JSON.stringify(request.schema));
      cost.written += tokens(text);
      return { text, toolCalls: [] };
    },
  };
  const ignore = (_: PlannerEvent) => {};
  try {
    const planner = new Planner({ controller: controllerOf(model), resources, onEvent: ignore, maxAttempts: 2 });
    const goal = { goal: item.query };
    const plan = await planner.createPlan(goal.goal, item.context === undefined ? {} : { context: item.context });
    const scores = scorePlans([item], new Map([[item.id, toSteps(plan.planned_tasks)]]));
    return { ...cost, exact: scores.exactPlan === 1, exactTools: scores.exactTools === 1 };
  } catch {
    return undefined;
  }
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
