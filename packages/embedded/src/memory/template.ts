import type { PlannerTaskInput } from "@planloom/plan";
import { escapeText, formatTemplate, parseTemplate, type Reference } from "@planloom/plan";
import { goalKinds } from "../language/goal-kinds.ts";
import { readClock } from "../language/temporal/calendar.ts";
import { stem } from "../language/text/stem.ts";
import { type Derive, derivation } from "./derive.ts";
import { essential, type GoalUnit, readUnits } from "./goal-units.ts";
import { isTelling, type PlanValue, planValues } from "./plan-values.ts";
import type { RememberedPlan } from "./remembered-plan.ts";
import { type SaidText, saidText } from "./said-text.ts";

/** Words of a goal, from `from` to before `to` of its units, that a plan's values follow from. */
export interface Slot {
  readonly from: number;
  readonly to: number;
  /** Slots that say the same must say the same in another goal too. */
  readonly key: string;
}

/** How one value of the plan is made from what another goal says in the slots; undefined where it cannot be. */
export interface BoundValue {
  readonly place: PlanValue;
  /** Keys of the slots that it needs. */
  readonly slots: readonly string[];
  rebuild(said: ReadonlyMap<string, SaidText>): unknown;
}

/** A goal with gaps, and how its plan follows from what fills them. */
export interface PlanTemplate {
  readonly goal: string;
  readonly units: readonly GoalUnit[];
  /** In the order of the goal; none overlaps another. */
  readonly slots: readonly Slot[];
  readonly said: ReadonlyMap<string, SaidText>;
  readonly bound: readonly BoundValue[];
  /** Values that no word of the goal explains. They may depend on the words in the slots. */
  readonly unexplained: readonly PlanValue[];
}

interface FoundValue {
  readonly place: PlanValue;
  readonly from: number;
  readonly to: number;
  readonly derive: Derive;
}

/** Values longer than this are looked for in parts only. */
const maxSlotUnits = 12;

/**
 * Finds where a goal says the values of its plan. If a value occurs in the goal unchanged, its words become a slot. If a longer text of the plan repeats
 * numbers, names, addresses or quotations of the goal, these become slots. O(values times words).
 * @returns undefined if the goal is too long, or has no words
 */
export function readTemplate(remembered: RememberedPlan): PlanTemplate | undefined {
  const { goal, tasks, madeAt, timeZone } = remembered;
  const all = readUnits(goal, readClock({ now: madeAt, ...(timeZone !== undefined && { timeZone }) }));
  const units = all === undefined ? [] : essential(all);
  if (units.length === 0) return undefined;
  const places = planValues(tasks);
  const found = places.flatMap((place) => (isTelling(place) ? [] : findWhole(place, goal, units)));
  const smallest = found.filter(
    (each) =>
      !found.some(
        (other) => other.from >= each.from && other.to <= each.to && other.to - other.from < each.to - each.from,
      ),
  );
  const slots = withoutOverlaps(smallest, units);
  const said = new Map(slots.map(({ from, to, key }) => [key, saidText(goal, units, from, to)]));
  const bound: BoundValue[] = [];
  const unexplained: PlanValue[] = [];
  const values = new Map<string, Slot>();
  for (const place of places) {
    const whole = smallest.find(
      (each) => each.place === place && slots.some((slot) => slot.from === each.from && slot.to === each.to),
    );
    if (whole !== undefined) {
      const key = keyOf(units, whole.from, whole.to);
      bound.push({ place, slots: [key], rebuild: (now) => ofText(now.get(key), whole.derive) });
      continue;
    }
    const parts = findParts(place, goal, units, slots);
    for (const slot of parts) values.set(slot.key, slot);
    if (parts.length > 0) bound.push(inText(place, goal, units, parts));
    else if (!isTelling(place)) unexplained.push(place);
  }
  const further = [...values.values()].filter(({ key }) => !said.has(key));
  for (const { from, to, key } of further) said.set(key, saidText(goal, units, from, to));
  const ordered = [...slots, ...further].sort((left, right) => left.from - right.from);
  return { goal, units, slots: ordered, said, bound, unexplained };
}

const ofText = (said: SaidText | undefined, derive: Derive): unknown => {
  const value = said === undefined ? undefined : derive(said);
  return typeof value === "string" ? escapeText(value) : value;
};

export function keyOf(units: readonly GoalUnit[], from: number, to: number): string {
  return units
    .slice(from, to)
    .map(({ key }) => key)
    .join(" ");
}

function findWhole(place: PlanValue, goal: string, units: readonly GoalUnit[]): FoundValue[] {
  const { value } = place;
  if (typeof value === "boolean" || value === "") return [];
  const plain = typeof value === "string" ? plainText(value) : value;
  if (plain === undefined) return [];
  const found: FoundValue[] = [];
  for (let from = 0; from < units.length; from += 1) {
    const longest = typeof plain === "number" ? 1 : Math.min(maxSlotUnits, units.length - from);
    for (let count = 1; count <= longest; count += 1) {
      const said = saidText(goal, units, from, from + count);
      if (typeof plain === "string" && said.text.length > 2 * plain.length + 40) break;
      const derive = derivation(plain, said);
      if (derive !== undefined) found.push({ place, from, to: from + count, derive });
    }
  }
  return found;
}

/** A text without references, as it is meant. */
function plainText(value: string): string | undefined {
  if (!value.includes("${")) return value;
  const parts = partsOf(value);
  return parts.length > 0 && parts.every((part) => typeof part === "string") ? parts.join("") : undefined;
}

function partsOf(text: string): readonly (string | Reference)[] {
  try {
    return parseTemplate(text).parts;
  } catch {
    // What cannot be read as a template is left as it is.
    return [];
  }
}

/** The longer of two that overlap is dropped; equal ones are one slot. */
function withoutOverlaps(found: readonly FoundValue[], units: readonly GoalUnit[]): Slot[] {
  const slots: Slot[] = [];
  for (const { from, to } of [...found].sort((left, right) => left.to - left.from - (right.to - right.from))) {
    if (slots.some((slot) => from < slot.to && slot.from < to)) continue;
    slots.push({ from, to, key: keyOf(units, from, to) });
  }
  return slots;
}

/** Values by their form, and slots, that a longer text repeats. */
function findParts(place: PlanValue, goal: string, units: readonly GoalUnit[], slots: readonly Slot[]): Slot[] {
  const { value } = place;
  if (typeof value !== "string") return [];
  const literal = partsOf(value)
    .filter((part) => typeof part === "string")
    .join("\n");
  const runs = [...slots, ...namesAndValues(units, slots)];
  const byKey = new Map(runs.map((run) => [run.key, run]));
  return [...byKey.values()].filter(({ from, to }) => holds(literal, saidText(goal, units, from, to).text));
}

const holds = (text: string, part: string): boolean => part.length > 0 && bounded(part).test(text);

function bounded(part: string): RegExp {
  const written = part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${written}(?![\\p{L}\\p{N}])`, "gu");
}

/** Runs of capitalised words after the first word, and single numbers, addresses and quotations, where no slot is. */
function namesAndValues(units: readonly GoalUnit[], slots: readonly Slot[]): Slot[] {
  const isFree = (at: number) => !slots.some(({ from, to }) => at >= from && at < to);
  const runs: Slot[] = [];
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at]!;
    if (!isFree(at)) continue;
    if (unit.kind !== "word") {
      if (unit.kind !== "date") runs.push({ from: at, to: at + 1, key: keyOf(units, at, at + 1) });
      continue;
    }
    if (at === 0 || !unit.capital) continue;
    let to = at + 1;
    while (
      to < units.length &&
      isFree(to) &&
      units[to]!.kind === "word" &&
      units[to]!.capital &&
      !units[to]!.afterBreak
    )
      to += 1;
    runs.push({ from: at, to, key: keyOf(units, at, to) });
    at = to - 1;
  }
  return runs;
}

/** What the parts say now, in the place of what they said. */
function inText(place: PlanValue, goal: string, units: readonly GoalUnit[], parts: readonly Slot[]): BoundValue {
  const before = parts.map(({ from, to, key }) => ({ key, text: saidText(goal, units, from, to).text }));
  const longestFirst = [...before].sort((left, right) => right.text.length - left.text.length);
  const pattern = new RegExp(longestFirst.map(({ text }) => bounded(text).source).join("|"), "gu");
  return {
    place,
    slots: parts.map(({ key }) => key),
    rebuild: (said) => {
      const now = new Map(before.map(({ key, text }) => [text, said.get(key)?.text]));
      if ([...now.values()].includes(undefined)) return undefined;
      const parts = partsOf(String(place.value)).map((part) =>
        typeof part === "string" ? part.replace(pattern, (text) => now.get(text) ?? text) : part,
      );
      return formatTemplate({ parts });
    },
  };
}

/**
 * Whether a value that no word explains is right whatever the slots say: a switch, the schema's own default, what words outside of the slots name, and
 * a free text for a model or an agent.
 */
export function isSettled(
  { value, path }: PlanValue,
  task: PlannerTaskInput,
  schema: Readonly<Record<string, unknown>> | undefined,
  { units, slots }: PlanTemplate,
): boolean {
  if (typeof value === "boolean") return true;
  if (path[0] !== "arguments" && path[0] !== "for_each") return true;
  if (typeof value === "string" && plainText(value) === undefined) return true;
  if (task.execution_type && goalKinds[task.execution_type].takesWords) return true;
  if (schema !== undefined && schema.default === value) return true;
  const words = String(value).match(/[\p{L}\p{N}]+/gu) ?? [];
  const isFree = (at: number) => !slots.some(({ from, to }) => at >= from && at < to);
  const fixed = new Set(units.filter((_, at) => isFree(at)).map(({ text }) => stem(text)));
  return words.length > 0 && words.every((word) => fixed.has(stem(word)));
}
