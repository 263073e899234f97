import { isRecord, type Resource, type ResourceCatalogue, resourcePin, type TaskData } from "@planloom/plan";

/** How a plan and a goal go together; each from 0 to 1. */
export interface PlanCoverage {
  /** The share of what the goal names (quotations, names, numbers, addresses) that is in the plan's values, and of its other words that the called resources have. */
  readonly covered: number;
  /** The share of the values of the plan that the goal says, or the resource offers as a choice. A plan without values has 1. */
  readonly grounded: number;
}

/** Quotations, then what is not an ordinary word: with a digit, a capital within a sentence, or a mark as addresses, paths and ids have. */
const quotations = /"([^"\n]{1,200})"|“([^”\n]{1,200})”|(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu;
const named = /(?<![.!?:]\s|^)(?<=\s)\p{Lu}[\p{L}\p{N}-]*|\S*[\d@/\\_#]\S*/gu;
const maxWords = 400;

/** What of the goal the plan does, and what of the plan the goal says. Words are compared by their beginnings. Linear in both. */
export function planCoverage(goal: string, plan: TaskData, catalogue: ResourceCatalogue): PlanCoverage {
  const values: { readonly text: string; readonly isOffered: boolean }[] = [];
  const called = new Set<Resource>();
  const does: string[] = [];
  for (const task of plan.planned_tasks) {
    const { kind, uid } = resourcePin(task);
    const resource = kind === undefined || uid === undefined ? undefined : catalogue.find(kind, uid);
    const choices = JSON.stringify(resource?.input_schema ?? {}).toLowerCase();
    for (const text of textsIn(task.arguments)) {
      if (!text.includes("${")) values.push({ text, isOffered: choices.includes(JSON.stringify(text).toLowerCase()) });
    }
    if (resource === undefined) does.push(uid ?? "", task.tool_id ?? "", task.description);
    else called.add(resource);
  }
  const given = normal(values.map(({ text }) => text).join("\n"));
  const names = [...namesIn(goal)];
  const taken = names.filter((name) => given.includes(normal(name))).length;
  const doing = new Set(stems(does.join(" ")));
  for (const resource of called) for (const word of wordsOf(resource)) doing.add(word);
  const said = normal(goal);
  const all = [...new Set(stems(goal))].slice(0, maxWords);
  // Words that a value has are not what is to be done. A value that repeats most of the goal has them all, and is not counted.
  const ofValues = new Set(
    values.map(({ text }) => new Set(stems(text))).flatMap((own) => (own.size * 2 > all.length ? [] : [...own])),
  );
  const words = all.filter((word) => !ofValues.has(word));
  const weights = weightsOf(words, catalogue.all);
  const sumOf = (list: readonly string[]) => list.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
  const most = sumOf(words);
  // What is named weighs as much as all words that are not.
  const shares = [
    ...(names.length === 0 ? [] : [taken / names.length]),
    ...(most === 0 ? [] : [sumOf(words.filter((word) => doing.has(word))) / most]),
  ];
  const known = values.filter(({ text, isOffered }) => isOffered || said.includes(normal(text))).length;
  return {
    covered: shares.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    grounded: values.length === 0 ? 1 : known / values.length,
  };
}

/** A word of the goal tells the more, the fewer resources have it; one that none has tells nothing. */
function weightsOf(words: readonly string[], resources: readonly Resource[]): Map<string, number> {
  const own = resources.map(wordsOf);
  return new Map(
    words.map((word) => {
      const having = own.filter((each) => each.has(word)).length;
      return [word, having === 0 ? 0 : Math.log(1 + resources.length / having)];
    }),
  );
}

const read = new WeakMap<Resource, ReadonlySet<string>>();

/** The words of a resource's name and description. */
function wordsOf(resource: Resource): ReadonlySet<string> {
  const known = read.get(resource);
  if (known !== undefined) return known;
  const words = new Set(stems(`${resource.id} ${resource.description}`));
  read.set(resource, words);
  return words;
}

function namesIn(goal: string): Set<string> {
  const found = new Set<string>();
  const rest = goal.replaceAll(quotations, (_, ...groups: (string | undefined)[]) => {
    const quoted = groups.slice(0, 3).find((text) => text !== undefined);
    if (quoted !== undefined) found.add(quoted);
    return " ";
  });
  for (const [text] of rest.matchAll(named)) {
    const bare = text.replace(/^[("']+|[)"',.;:!?]+$/g, "");
    if (bare !== "") found.add(bare);
  }
  return found;
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (isRecord(value)) return Object.values(value).flatMap(textsIn);
  return value === null || value === undefined ? [] : [String(value)];
}

function normal(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

const common: ReadonlySet<string> = new Set(
  "the and for with from into that this which what when where are was has have not all any each its their them then than will can could would please want need show tell give get make also both you your how".split(
    " ",
  ),
);

function stems(text: string): string[] {
  const words = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).filter((word) => word.length > 2 && !common.has(word)).map((word) => word.slice(0, 5));
}
