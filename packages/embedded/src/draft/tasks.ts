import { isRecord, type PlannerTaskInput, pinFields } from "@planloom/plan";
import { allows } from "../catalogue/allows.ts";
import { type Parameter, pathText, setArgument } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { isVerb } from "../language/text/actions.ts";
import { type Draft, type Filling, hasItems, hasLinks, isGiven, key, type Link, sourcesOf } from "./draft.ts";

/**
 * Tasks of the drafts, in their order, with ids that people can read (`orders_list`, `orders_list_2`). Schema defaults
 * of whole numbers (row limits) are written out where no reference narrows the task down: there a cut result would
 * go unseen.
 */
export function makeTasks(drafts: readonly Draft[]): { tasks: PlannerTaskInput[]; ids: Map<Draft, string> } {
  const ids = nameTasks(drafts);
  const tasks = drafts.map((draft): PlannerTaskInput => {
    const { resource } = draft.profile;
    const sources = [...sourcesOf(draft), ...draft.after]
      .map((source) => ids.get(source))
      .filter((id) => id !== undefined);
    return {
      task_id: ids.get(draft) ?? "task",
      description: describe(draft, ids),
      execution_type: resource.kind,
      dependencies: [...new Set(sources)],
      ...pinFields(resource),
      arguments: argumentsOf(draft, ids),
      ...(resource.estimate !== undefined && { estimate_data: resource.estimate }),
    };
  });
  return { tasks, ids };
}

function nameTasks(drafts: readonly Draft[]): Map<Draft, string> {
  const ids = new Map<Draft, string>();
  const counts = new Map<string, number>();
  const taken = new Set<string>(["input"]);
  for (const draft of drafts) {
    const base = legalName(draft.profile.label);
    let count = (counts.get(base) ?? 0) + 1;
    let id = count === 1 ? base : `${base}_${count}`;
    while (taken.has(id) || id in Object.prototype) {
      count += 1;
      id = `${base}_${count}`;
    }
    counts.set(base, count);
    taken.add(id);
    ids.set(draft, id);
  }
  return ids;
}

function legalName(label: string): string {
  const words = label
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 80);
  if (words === "") return "task";
  return /^[0-9]/.test(words) ? `task_${words}` : words;
}

/** In the order of the schema, so that plans read alike whatever the order of the words was. */
function argumentsOf(draft: Draft, ids: ReadonlyMap<Draft, string>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const own = new Set<Parameter>(draft.profile.parameters);
  for (const parameter of draft.profile.parameters) {
    const filled = draft.filled.get(key(parameter));
    if (parameter.list !== undefined && draft.filled.has(JSON.stringify(parameter.list))) continue;
    if (filled !== undefined) setArgument(result, parameter.path, render(filled.filling, ids));
    else if (usesDefault(draft, parameter)) setArgument(result, parameter.path, parameter.fallback);
  }
  for (const { parameter, filling } of draft.filled.values()) {
    if (
      !own.has(parameter) &&
      !draft.profile.parameters.some((each) => JSON.stringify(each.path) === JSON.stringify(parameter.path))
    ) {
      setArgument(result, parameter.path, render(filling, ids));
    }
  }
  return result;
}

/** Its default is written out: where it must be given, and as a row limit where no reference narrows the task down. */
export function usesDefault(draft: Draft, parameter: Parameter): boolean {
  if (isGiven(draft, parameter) || !isAsked(draft, parameter)) return false;
  if (parameter.required) return parameter.fallback !== undefined && allows(parameter, parameter.fallback);
  return isRowLimit(parameter) && !hasLinks(draft);
}

function isRowLimit(parameter: Parameter): boolean {
  return parameter.types.has("integer") && Number.isInteger(parameter.fallback) && parameter.path.length === 1;
}

function render(filling: Filling, ids: ReadonlyMap<Draft, string>): unknown {
  if (filling.kind === "value") return escaped(filling.value);
  if (filling.kind === "link") return reference(filling.link, ids);
  return filling.composed.parts
    .map((part) => (typeof part === "string" ? escapeText(part) : reference(part, ids)))
    .join("");
}

function reference(link: Link, ids: ReadonlyMap<Draft, string>): string {
  return `\${${ids.get(link.source) ?? ""}${link.path}}`;
}

/** Text of the goal is never a reference. */
function escapeText(text: string): string {
  return text.replaceAll("${", () => "$${");
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapeText(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)]));
}

/** "List orders where status is open"; "Send mail: to ann@example.com, text from get_report" of what does not only read. */
function describe({ profile, filled }: Draft, ids: ReadonlyMap<Draft, string>): string {
  const reads = profile.effect === "reads" || profile.actions.has("read");
  const where: string[] = [];
  const from: string[] = [];
  for (const { parameter, filling } of filled.values()) {
    const name = pathText(parameter.path).replaceAll("_", " ");
    if (filling.kind === "value") where.push(`${name} ${reads ? "is " : ""}${shown(filling.value)}`);
    else if (filling.kind === "link") from.push(`${name} from ${ids.get(filling.link.source) ?? "an earlier task"}`);
  }
  const said = reads ? readText(where, from) : [...where, ...from].join(", ");
  return `${actionText(profile)}${reads || said === "" ? "" : ": "}${said}`.slice(0, 1_000);
}

function readText(where: readonly string[], from: readonly string[]): string {
  const conditions = where.length === 0 ? "" : ` where ${where.join(" and ")}`;
  const sources = from.length === 0 ? "" : `${where.length === 0 ? " with " : ", "}${from.join(", ")}`;
  return `${conditions}${sources}`;
}

function shown(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replaceAll("${", "$ {").slice(0, 120);
}

function actionText(profile: Profile): string {
  const [verb] = profile.verbs.filter((each) => profile.nameWords.includes(each));
  const words = profile.nameWords.filter((word) => word !== verb);
  const lead = verb ?? (words.length > 0 && isVerb(words[0]!) ? "" : "run");
  const text = [lead, ...words].filter((word) => word !== "").join(" ");
  return text === "" ? `Run ${profile.label}` : text.charAt(0).toUpperCase() + text.slice(1);
}

/** A field of an object in a list is asked for once the list has an object: before that, the list is. */
export function isAsked(draft: Draft, { list }: Parameter): boolean {
  return list === undefined || hasItems(draft, list);
}

/** Required arguments that stayed open, per draft. */
export function missingArguments(draft: Draft): readonly Parameter[] {
  return draft.profile.parameters.filter(
    (parameter) =>
      parameter.required &&
      isAsked(draft, parameter) &&
      !isGiven(draft, parameter) &&
      parameter.fallback === undefined &&
      parameter.schema.const === undefined,
  );
}
