import { parseArgs } from "node:util";
import { isRecord, type PlannerTaskInput } from "@planloom/plan";
import { readPlanAnswer } from "../../packages/controller/src/answers/read-plan-answer.ts";
import { type Item, isHeldOut, readSets } from "./plans-data.ts";
import { goldTasks } from "./plans-gold.ts";
import { toResources, toSteps } from "./plans-predict.ts";
import { scorePlans } from "./plans-score.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

/**
 * How many right plans the reader of answers makes wrong: `pnpm bench:right-answers --data FOLDER [--half worked|held]`.
 *
 * The right plan of every goal is written as a model would answer it and read as an answer is, before any validation. What it takes out, reads
 * elsewhere or redirects is said in its issues, and is counted by its first words. The words of a task (`for`) are written in three ways: `part`, the goal's words in as many runs
 * as there are tasks; `whole`, the whole goal for each task; `described`, what the tool says of itself.
 */
const { values: options } = parseArgs({ options: { data: { type: "string" }, half: { type: "string" } } });
if (options.data === undefined) {
  process.stderr.write("usage: pnpm bench:right-answers --data FOLDER [--half worked|held]\n");
  process.exit(2);
}

const wordings: Readonly<Record<string, (item: Item, at: number) => string>> = {
  part: ({ query, gold: { steps } }, at) => {
    const words = query.split(/\s+/);
    const from = (place: number) => Math.floor((place * words.length) / steps.length);
    return words.slice(from(at), from(at + 1)).join(" ");
  },
  whole: ({ query }) => query,
  described: ({ tools, gold: { steps } }, at) => {
    const name = steps[at]?.tool ?? "";
    return tools.find((tool) => tool.name === name)?.description ?? name;
  },
};

const items = readSets(options.data)
  .flatMap((set) => set.items)
  .filter(({ id, gold }) => gold.steps.length > 0 && (!options.half || isHeldOut(id) === (options.half === "held")))
  // Some gold plans do not survive being written as tasks: they say nothing of the reader.
  .filter((item) => isRight(item, goldTasks(item.gold.steps)));
const rows = [];
for (const [words, wordsOf] of Object.entries(wordings)) {
  let wrong = 0;
  const reasons = new Map<string, number>();
  for (const item of items) {
    const { tasks, said } = read(item, wordsOf);
    if (isRight(item, tasks)) continue;
    wrong += 1;
    for (const each of new Set(said.map(sortOf))) reasons.set(each, (reasons.get(each) ?? 0) + 1);
  }
  const most = [...reasons].sort(([, left], [, right]) => right - left);
  rows.push({
    words,
    "right plans": items.length,
    "made wrong": wrong,
    "%": ((100 * wrong) / Math.max(1, items.length)).toFixed(2),
    by: most.map(([reason, count]) => `${count} ${reason}`).join("; "),
  });
}
process.stdout.write(`${markdownTable(rows)}\n\n${surroundingsText(surroundings())}\n`);

function read(item: Item, wordsOf: (item: Item, at: number) => string) {
  const tasks = goldTasks(item.gold.steps).map(({ description: _, execution_type: __, ...task }, at) => ({
    ...task,
    for: wordsOf(item, at),
  }));
  const answer = readPlanAnswer({ tasks }, toResources(item.tools), item.query);
  const data = "data" in answer && isRecord(answer.data) ? answer.data : {};
  return {
    tasks: (Array.isArray(data.tasks) ? data.tasks : []) as readonly PlannerTaskInput[],
    said: (answer.issues ?? []).map(({ message }) => message),
  };
}

function isRight(item: Item, tasks: readonly PlannerTaskInput[]): boolean {
  const scores = scorePlans([item], new Map([[item.id, toSteps(tasks)]]));
  return (scores.exactPlan ?? scores.exactGraph ?? scores.exactTools) === 1 && (scores.argValueF1 ?? 1) === 1;
}

/** A warning without the names and values in it. */
function sortOf(message: string): string {
  return message
    .replaceAll(/`[^`]*`|"[^"]*"|\$\{[^}]*\}/g, "…")
    .replace(/:.*/s, "")
    .slice(0, 60);
}
