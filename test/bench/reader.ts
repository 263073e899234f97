import { parseArgs } from "node:util";
import { readOutput } from "@planloom/controller";
import { isRecord, type JsonSchema } from "@planloom/plan";
import { readJson } from "./plans-data.ts";
import { attackTable, readMutations, timeAttacks } from "./reader-stress.ts";
import { surroundings, surroundingsText } from "./report.ts";

/**
 * How much of what models really wrote survives `readOutput`: `pnpm bench:reader --data FILE.json[.gz] [--json]`.
 * `--attacks`: how long hostile texts take. `--mutations COUNT [--seed N]`: reads so many broken texts, made from those of
 * `--data` or from built-in ones; exit 1 when one throws or gives a string of its own making.
 *
 * The items say which kind they are: with `choices`, the name of a function is to be read (right: the name that stands
 * legibly in the text; invented: a name that does not stand there, or is not on offer though the legible one is); with
 * `tool`, arguments that are valid JSON (right: read unchanged); else a whole plan (right: as many tasks as the text
 * has legible ones).
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    attacks: { type: "boolean", default: false },
    mutations: { type: "string" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    show: { type: "string" },
  },
});
const counts = [options.mutations, options.seed, options.show].filter((text) => text !== undefined);
if (
  (options.data === undefined && options.mutations === undefined && !options.attacks) ||
  counts.some((text) => !/^[1-9]\d*$/.test(text))
) {
  process.stderr.write(
    "usage: pnpm bench:reader --data FILE.json[.gz] [--json] [--show EVERY]\n" +
      "       pnpm bench:reader --attacks [--json]\n" +
      "       pnpm bench:reader --mutations COUNT [--seed N] [--data FILE.json[.gz]] [--json]\n",
  );
  process.exit(2);
}
if (options.attacks) showAttacks();
const items = options.data === undefined ? [] : (readJson(options.data) as readonly Item[]);
if (options.mutations !== undefined) showMutations(Number(options.mutations));
else if (items.length > 0) showReading();

interface Item {
  readonly raw: string;
  readonly model?: string;
  readonly source?: string;
  readonly choices?: readonly string[];
  readonly said?: string;
  readonly tool?: string;
}

interface Judged {
  readonly kind: string;
  readonly outcome: "right" | "wrong" | "nothing";
  readonly invented: boolean;
}

function showAttacks(): void {
  const times = timeAttacks();
  process.stdout.write(
    options.json ? `${JSON.stringify(times)}\n` : `${attackTable(times)}\n\n${surroundingsText(surroundings())}\n`,
  );
}

function showMutations(count: number): void {
  const texts = items.map(({ raw }) => raw);
  const report = readMutations(count, Number(options.seed), texts.length === 0 ? undefined : texts);
  const { mutations, found, thrown, invented, slowestMs, slowestLength, seconds } = report;
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    process.stdout.write(
      `${mutations} mutations in ${seconds.toFixed(1)} s: a value in ${found}, ${thrown.length} thrown, ${invented.length} with strings of the reader's own making; the slowest took ${slowestMs.toFixed(1)} ms (${slowestLength} characters).\n`,
    );
    for (const fault of [...thrown, ...invented]) process.stdout.write(`${JSON.stringify(fault)}\n`);
  }
  if (thrown.length + invented.length > 0) process.exitCode = 1;
}

function showReading(): void {
  const before = performance.now();
  const judged = items.map(judge);
  const milliseconds = performance.now() - before;
  const share = (rows: readonly Judged[], outcome: Judged["outcome"]) =>
    rows.length === 0 ? 0 : rows.filter((row) => row.outcome === outcome).length / rows.length;
  const summary = (rows: readonly Judged[]) => ({
    items: rows.length,
    right: share(rows, "right"),
    wrong: share(rows, "wrong"),
    nothing: share(rows, "nothing"),
    invented: rows.filter((row) => row.invented).length,
  });
  const kinds = [...new Set(judged.map(({ kind }) => kind))].sort();
  const report = {
    ...summary(judged),
    milliseconds: Math.round(milliseconds),
    by_kind: Object.fromEntries(kinds.map((kind) => [kind, summary(judged.filter((row) => row.kind === kind))])),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    const line = (name: string, each: ReturnType<typeof summary>) =>
      `${name.padEnd(34)}${String(each.items).padStart(6)}${[each.right, each.wrong, each.nothing]
        .map((value) => (100 * value).toFixed(1).padStart(9))
        .join("")}${String(each.invented).padStart(10)}\n`;
    process.stdout.write(`${"".padEnd(34)} items  right %  wrong %  nothing  invented\n${line("all", report)}`);
    for (const kind of kinds) process.stdout.write(line(kind, report.by_kind[kind]!));
    process.stdout.write(`${report.milliseconds} ms\n`);
  }
  for (const [at, row] of judged.entries()) {
    if (row.outcome === "right" || options.show === undefined || at % Number(options.show) !== 0) continue;
    const { raw, said } = items[at]!;
    process.stdout.write(`${row.outcome} ${row.kind} ${said ?? ""}: ${JSON.stringify(raw).slice(0, 500)}\n`);
  }
}

function judge(item: Item): Judged {
  if (item.choices !== undefined) return judgeName(item, item.choices);
  return item.tool === undefined ? judgePlan(item) : judgeArguments(item);
}

/** Items whose text names nothing legibly are right when nothing, or nothing on offer, is read. */
function judgeName(item: Item, choices: readonly string[]): Judged {
  const kind = shapeOf(item.raw);
  const schema: JsonSchema = {
    type: "object",
    properties: { Thought: { type: "string" }, api_name: { type: "string", enum: [...choices] } },
    required: ["api_name"],
  };
  const read = readOutput(item.raw, { schema });
  const value = read.found && isRecord(read.value) ? read.value.api_name : undefined;
  if (typeof value !== "string")
    return { kind, outcome: item.said === undefined ? "right" : "nothing", invented: false };
  const invented = !item.raw.includes(value) || (item.said !== undefined && !choices.includes(value));
  return { kind, outcome: value === item.said ? "right" : "wrong", invented };
}

/** What is wrong with the text at first sight. */
function shapeOf(raw: string): string {
  const text = raw.trim();
  if (/```/.test(text)) return "fence";
  if (/^[{[]/.test(text) && !/[}\]]\s*$/.test(text)) return "unclosed, or prose after it";
  if (!/^[{[]/.test(text)) return /[{[]/.test(text) ? "prose before it" : "no braces";
  if (/,\s*[}\]]\s*$/.test(text)) return "trailing comma";
  if (/"Thought":\s*[^"\s]/.test(text)) return "text without quotes";
  return "other";
}

function judgeArguments(item: Item): Judged {
  const kind = item.source ?? "arguments";
  const read = readOutput(item.raw);
  const same = read.found && JSON.stringify(read.value) === JSON.stringify(JSON.parse(item.raw));
  return { kind, outcome: same ? "right" : read.found ? "wrong" : "nothing", invented: false };
}

/** The tasks that stand in a plan's text one by one are all to be found in what is read. */
function judgePlan(item: Item): Judged {
  const kind = item.model ?? "plan";
  const schema: JsonSchema = {
    type: "object",
    properties: {
      task_steps: { type: "array", items: { type: "string" } },
      task_nodes: { type: "array", items: { type: "object" } },
      task_links: { type: "array", items: { type: "object" } },
    },
    required: ["task_nodes"],
  };
  const read = readOutput(item.raw, { schema });
  const value = read.found && isRecord(read.value) ? read.value : {};
  const nodes = Array.isArray(value.task_nodes) ? value.task_nodes.filter(isRecord) : [];
  const names = nodes.map((node) => String(node.task));
  const section = /"task_nodes"\s*:([\s\S]*?)(?:"task_links"|$)/.exec(item.raw)?.[1] ?? "";
  const legible = [...section.matchAll(/"task"\s*:\s*"([^"\\]+)"/g)].map((match) => match[1]!);
  const invented = names.some((name) => !item.raw.includes(name));
  if (names.length === 0) return { kind, outcome: legible.length === 0 ? "right" : "nothing", invented };
  return { kind, outcome: names.join("\n") === legible.join("\n") ? "right" : "wrong", invented };
}
