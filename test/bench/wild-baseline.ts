import type { WildGoal, WildPrediction, WildTool } from "./wild-data.ts";

const small = new Set(
  "the an of to in for on and or is are be with my me it this that from by at as can you please want would like need have also then using use your into about".split(
    " ",
  ),
);

function wordsOf(text: string): string[] {
  const words = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? [])
    .map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|es|s)$/, "") : word))
    .filter((word) => word.length > 1 && !small.has(word));
}

/** BM25 of a text against the names and descriptions of tools (k1 = 1.2, b = 0.75). */
export function bm25(tools: readonly WildTool[]): (text: string) => number[] {
  const documents = tools.map(({ name, description = "" }) => wordsOf(`${name} ${description}`));
  const frequency = new Map<string, number>();
  for (const words of documents) for (const word of new Set(words)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const average = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(1, documents.length);
  return (text) =>
    documents.map((words) => {
      let sum = 0;
      for (const word of new Set(wordsOf(text))) {
        const count = words.filter((each) => each === word).length;
        const known = frequency.get(word) ?? 0;
        const rarity = Math.log(1 + (documents.length - known + 0.5) / (known + 0.5));
        sum += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * words.length) / average));
      }
      return sum;
    });
}

/** A score that a tool needs to be called at all. */
const minScore = 1;

/**
 * What a plan scores with no understanding: each clause calls the tool with the best BM25 score, and each required parameter
 * takes the next text of its type.
 */
export function planTrivially(goal: WildGoal, tools: readonly (WildTool & { server: string })[]): WildPrediction {
  const score = bm25(tools);
  const numbers = (goal.query.match(/-?\b\d+(?:\.\d+)?\b/g) ?? []).map(Number);
  const texts = [
    ...goal.query.matchAll(/'([^']{2,})'|"([^"]{2,})"|(\S*[\w)]\/\S+|\b[A-Z][\w.-]+(?: [A-Z][\w.-]+)*)/g),
  ].map(([, single, double, bare]) => single ?? double ?? bare ?? "");
  const seen = new Set<number>();
  const tasks: WildPrediction["tasks"][number][] = [];
  for (const clause of goal.query.split(/[.;!?]\s|,|\band\b|\bthen\b|\n/i)) {
    const scores = score(clause);
    const best = scores.reduce((top, each, at) => (each > (scores[top] ?? 0) ? at : top), 0);
    const tool = tools[best];
    if (tool === undefined || (scores[best] ?? 0) <= minScore || seen.has(best)) continue;
    seen.add(best);
    const args: Record<string, unknown> = {};
    const { properties = {}, required = [] } = (tool.inputSchema ?? {}) as {
      readonly properties?: Readonly<Record<string, { type?: string; enum?: unknown[] }>>;
      readonly required?: readonly string[];
    };
    for (const name of required) {
      const { type, enum: choices } = properties[name] ?? {};
      const choice = choices?.find((each) => clause.toLowerCase().includes(String(each).toLowerCase()));
      const value =
        choices === undefined
          ? type === "number" || type === "integer"
            ? numbers.shift()
            : type === undefined || type === "string"
              ? texts.shift()
              : undefined
          : choice;
      if (value !== undefined) args[name] = value;
    }
    const last = tasks.at(-1)?.id;
    tasks.push({
      id: `t${tasks.length}`,
      tool: tool.name,
      server: tool.server,
      args,
      deps: last === undefined ? [] : [last],
    });
  }
  return { id: goal.id, accepted: tasks.length > 0, marked: false, tasks, unresolved: [] };
}
