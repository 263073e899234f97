import { isRecord, type JsonSchema, nameWords, type TaskData, validateValue } from "@planloom/plan";

/** So many are offered; more would be a list to read rather than a help. */
const maxSuggestions = 5;
/** Goals may be whole documents; what is asked about is at their beginning. UTF-16 units. */
const maxRead = 4_000;
/** Words that only begin a sentence are not values. */
const wordOnly = /^[\p{L}'’]+$/u;

/**
 * Values that fit the schema of an argument: those that the schema itself names, what the goal says that is shaped like a value (quoted,
 * with digits or signs in it, a number, a name inside a sentence) with both halves of `A/B`, and sources among earlier tasks. What the task has
 * already is not offered again. For an id nothing is offered of the goal but what is written like one, and like the examples in its description, and
 * what no task has yet; nothing that the goal leaves out ("all but O-7"). Likeliest first, none twice, at most 5.
 * @param path of the argument: `agent_id`. @param sources references to outputs of earlier tasks that fit
 */
export function suggestionsFor(
  schema: JsonSchema,
  plan: TaskData,
  taskId: string,
  path: string,
  sources: readonly unknown[],
): unknown[] {
  const record = isRecord(schema) ? schema : {};
  const examples = Array.isArray(record.examples) ? record.examples : [];
  const named = [...(record.default === undefined ? [] : [record.default]), ...examples];
  const isId = idName.test(path);
  const holders = plan.planned_tasks.filter(({ task_id }) => isId || task_id === taskId);
  const given = holders.flatMap((task) => Object.values(task.arguments));
  const used = new Set(given.map((value) => JSON.stringify(value)));
  const description = typeof record.description === "string" ? record.description : "";
  const read = valuesIn(goalOf(plan)).filter((text) => !isId || isWrittenLikeId(text, description));
  const said = read.flatMap((text) => typed(text, schema));
  const seen = new Set<string>();
  const fitting = [...named, ...said].filter((value) => validateValue(value, schema).length === 0);
  return [...fitting, ...sources.filter((source) => isAbout(source, path))]
    .filter((value) => {
      const key = JSON.stringify(value) ?? "";
      return !used.has(key) && !seen.has(key) && seen.add(key).size > 0;
    })
    .slice(0, maxSuggestions);
}

/**
 * Whether a reference names what the argument is called after: `${order.reagent_id}` and `${list_reagents[0].id}` for `reagent_id`, not
 * `${move.project}` for `subject`, which only has a type that fits.
 */
function isAbout(reference: unknown, path: string): boolean {
  const wanted = wordsOf(path);
  const about = wanted.filter((word) => word !== "id");
  const named = new Set(wordsOf(String(reference)));
  return (about.length > 0 ? about : wanted).some((word) => named.has(word));
}

/** Words of a name in lower case, without the `s` of a plural. */
function wordsOf(name: string): string[] {
  const words = nameWords(name).map((word) => word.replaceAll(/\p{N}/gu, ""));
  return words.filter((word) => word !== "").map((word) => word.replace(/s$/, ""));
}

/** `agent_id`, `agentId`, `filter.ids[0]`. */
const idName = /(?:^|[^\p{L}\p{N}])(?:id|uuid|guid|sku)s?(?:\[\d+\])?$|\p{Ll}I[dD]s?(?:\[\d+\])?$/u;

/** One word with a digit in it; where the description shows ids ("such as ag-1"), with the letters before its digits that one of them has. */
function isWrittenLikeId(text: string, description: string): boolean {
  if (!/^\S*\p{N}\S*$/u.test(text)) return false;
  const shown = [...description.matchAll(/(?<![\p{L}\p{N}])\p{L}{1,6}[-_.:#/]?\d+(?![\p{L}\p{N}])/gu)].map(([id]) =>
    leadOf(id),
  );
  return shown.length === 0 || shown.includes(leadOf(text));
}

const leadOf = (id: string) => /^\p{L}*[-_.:#/]?/u.exec(id)?.[0].toLowerCase() ?? "";

/** What was asked for. The title of a plan that nobody asked for in words, which may be the name of its file, holds no values. */
function goalOf({ task_input_data: { goal } }: TaskData): string {
  return typeof goal === "string" ? goal.slice(0, maxRead) : "";
}

/** A text as a value of the type: a number where one is asked for. */
function typed(text: string, schema: JsonSchema): unknown[] {
  const types = isRecord(schema) ? [schema.type].flat() : [];
  const number = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (number !== undefined && (types.includes("integer") || types.includes("number"))) return [number];
  return types.length === 0 || types.includes("string") || types[0] === undefined ? [text] : [];
}

/** Words between "not" and what it leaves out: "not the order O-7". */
const maxBetween = 2;
const leavesOut = /^(?:not|never|except|excluding|without|but|than|instead|don['’]t|do(?:es)?n['’]t|skip|leave|keep)$/i;

/** The goal says that this is not meant: "all but O-7", "not the order O-7". */
const isLeftOut = (words: readonly string[], at: number) =>
  words.slice(Math.max(0, at - maxBetween - 1), at).some((word) => leavesOut.test(word));

/** Parts of a goal that have the shape of a value. Those whose shape says most come first. */
function valuesIn(goal: string): string[] {
  const quoted = [...goal.matchAll(/["“`]([^"“”`\n]{1,200})["”`]|(?<!\S)'([^'\n]{1,200})'/gu)].map(
    ([, double, single]) => double ?? single ?? "",
  );
  const words = goal.split(/\s+/).map((word) => word.replace(/^[("'“`[]+|[)"'”`\],.;:!?]+$/gu, ""));
  const shaped = words.filter(
    (word, at) => /[\p{N}@#/_.:-]/u.test(word) && !/^[\p{P}]+$/u.test(word) && !isLeftOut(words, at),
  );
  const halves = shaped.flatMap((word) => (/^[\w.-]+\/[\w.-]+$/.test(word) ? word.split("/") : []));
  const names = words.slice(1).filter((word) => wordOnly.test(word) && /^\p{Lu}/u.test(word) && word.length > 1);
  return [...halves, ...quoted, ...shaped, ...names].filter((text) => text !== "" && !text.includes("${"));
}
