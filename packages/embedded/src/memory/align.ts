import { isVerb } from "../language/text/actions.ts";
import { type GoalUnit, isDirecting, isLinking, leadOf, showing } from "./goal-units.ts";
import { mayReplace, type SaidText, saidText, sameText } from "./said-text.ts";
import type { PlanTemplate, Slot } from "./template.ts";

/** What another goal says in the gaps of a template, and how much of both goals is the same. */
export interface Alignment {
  readonly said: ReadonlyMap<string, SaidText>;
  /** 1: the same words in the same order, but for what fills the gaps. */
  readonly likeness: number;
}

/**
 * Reads another goal by a template: first word by word in the same order; then, where that fails, by the words that it has, whatever
 * their order. Undefined where something else is asked for, and where it is not certain which words fill which gap.
 */
export function align(template: PlanTemplate, goal: string, units: readonly GoalUnit[]): Alignment | undefined {
  if (meansOtherDays(template, units) || isOfAct(template.units) !== isOfAct(units)) return undefined;
  if (isSame(template.units, units)) return { said: repeated(template, goal, units), likeness: 1 };
  const ordered = alignInOrder(template, goal, units);
  return ordered === undefined ? alignFreely(template, goal, units) : { said: ordered, likeness: 1 };
}

/** Whether both goals say "tomorrow" where no value follows from it, and it is another day by now: something may have followed from it. */
function meansOtherDays({ units: old, slots }: PlanTemplate, units: readonly GoalUnit[]): boolean {
  const now = new Map(units.map(({ key, date }) => [key, JSON.stringify(date && [date.from, date.to])]));
  return old.some(({ kind, key, date }, at) => {
    if (kind !== "date" || !now.has(key) || slots.some(({ from, to }) => at >= from && at < to)) return false;
    return now.get(key) !== JSON.stringify(date && [date.from, date.to]);
  });
}

/** "The archive of …" is a thing, "archive the …" is asked for. */
const isOfAct = ([first, second]: readonly GoalUnit[]): boolean =>
  first?.key !== showing && second?.text.toLowerCase() === "of";

const isSame = (old: readonly GoalUnit[], units: readonly GoalUnit[]): boolean =>
  old.length === units.length && old.every(({ key }, at) => key === units[at]!.key);

/** The same goal may be written with other capital letters, which a value keeps. */
function repeated({ slots }: PlanTemplate, goal: string, units: readonly GoalUnit[]): Map<string, SaidText> {
  return new Map(slots.map(({ from, to, key }) => [key, saidText(goal, units, from, to)]));
}

/** Each slot takes the words between the fixed words around it. Undefined where this is impossible, and where it is possible in several ways. */
function alignInOrder(
  { units: old, slots, said }: PlanTemplate,
  goal: string,
  units: readonly GoalUnit[],
): Map<string, SaidText> | undefined {
  const elements = elementsOf(old, slots);
  if (!elements.some((element) => "kind" in element && !isLinking(element))) return undefined;
  const failed = new Set<number>();
  const ways: Map<string, SaidText>[] = [];
  const walk = (element: number, at: number, taken: ReadonlyMap<string, SaidText>): boolean => {
    const next = elements[element];
    if (next === undefined) {
      if (at < units.length) return false;
      ways.push(new Map(taken));
      return true;
    }
    const place = element * (units.length + 1) + at;
    if (failed.has(place) || ways.length > 1) return false;
    let isWay = false;
    if ("kind" in next) {
      isWay = units[at]?.key === next.key && walk(element + 1, at + 1, taken);
    } else {
      const least = elements.length - element - 1;
      for (let to = at + 1; to <= units.length - least; to += 1) {
        const filling = saidText(goal, units, at, to);
        const before = taken.get(next.key);
        if (before !== undefined ? !sameText(before, filling) : !mayReplace(said.get(next.key)!, filling)) continue;
        if (walk(element + 1, to, new Map(taken).set(next.key, filling))) isWay = true;
      }
    }
    // What failed with other fillings of the same slots may not fail here, but then there is more than one way.
    if (!isWay) failed.add(place);
    return isWay;
  };
  walk(0, 0, new Map());
  return ways.length === 1 ? ways[0] : undefined;
}

function elementsOf(units: readonly GoalUnit[], slots: readonly Slot[]): (GoalUnit | Slot)[] {
  const elements: (GoalUnit | Slot)[] = [];
  for (let at = 0; at < units.length; at += 1) {
    const slot = slots.find(({ from }) => from === at);
    elements.push(slot ?? units[at]!);
    if (slot !== undefined) at = slot.to - 1;
  }
  return elements;
}

/** Words of the new goal that the old one has not, side by side, and what leads to them. */
interface Run {
  readonly said: SaidText;
  readonly before: GoalUnit | undefined;
}

function alignFreely(template: PlanTemplate, goal: string, units: readonly GoalUnit[]): Alignment | undefined {
  const { units: old, slots, said } = template;
  const fixed = old.filter((_, at) => !slots.some(({ from, to }) => at >= from && at < to));
  const open = new Map<string, number>();
  for (const unit of fixed) if (!isLinking(unit)) open.set(unit.key, (open.get(unit.key) ?? 0) + 1);
  const total = [...open.values()].reduce((sum, count) => sum + count, 0);
  const matched = units.map((unit) => {
    const left = open.get(unit.key) ?? 0;
    if (isLinking(unit) || left === 0) return false;
    open.set(unit.key, left - 1);
    return true;
  });
  // A goal of values alone cannot be compared.
  if (!matched.includes(true)) return undefined;
  const missing = [...open].reduce((sum, [key, count]) => sum + (key === showing ? 0 : count), 0);
  const filling = assign(template, runsOf(goal, units, matched, open.has(showing)));
  if (filling === undefined || !sameOrder(fixed, units)) return undefined;
  const likeness = freely * (1 - missing / (total + slots.length));
  return { said: new Map([...said, ...filling]), likeness };
}

/** The same words in another order are a little less alike than in the same. */
const freely = 0.99;

/** Verbs come in the same order: what is asked for first is done first. */
function sameOrder(fixed: readonly GoalUnit[], units: readonly GoalUnit[]): boolean {
  const isAct = ({ kind, text, key }: GoalUnit) => kind === "word" && key !== showing && isVerb(text.toLowerCase());
  const verbs = (all: readonly GoalUnit[]) => all.filter(isAct).map(({ key }) => key);
  const [left, right] = [verbs(fixed), verbs(units)];
  return left.filter((key) => right.includes(key)).join(" ") === right.filter((key) => left.includes(key)).join(" ");
}

/** @param asksToShow whether the old goal has a verb that only asks for something to be shown; else the new one may have one */
function runsOf(goal: string, units: readonly GoalUnit[], matched: readonly boolean[], asksToShow: boolean): Run[] {
  const runs: Run[] = [];
  const isSaid = (at: number) =>
    matched[at] === true || isLinking(units[at]!) || (units[at]!.key === showing && !asksToShow);
  for (let at = 0; at < units.length; at += 1) {
    if (isSaid(at)) continue;
    let to = at + 1;
    const isWord = ({ kind, joint }: GoalUnit) => kind === "word" || joint !== undefined;
    const goesOn = (unit: GoalUnit) => !unit.afterBreak && isWord(unit) && isWord(units[to - 1]!);
    while (to < units.length && !isSaid(to) && goesOn(units[to]!)) to += 1;
    runs.push({ said: saidText(goal, units, at, to), before: units[at - 1] });
    at = to - 1;
  }
  return runs;
}

/** Which words fill which slot, where only one way is possible. */
function assign({ units, slots, said }: PlanTemplate, runs: readonly Run[]): Map<string, SaidText> | undefined {
  const keys = [...new Set(slots.map(({ key }) => key))];
  if (runs.length !== keys.length) return undefined;
  const fits = keys.map((key) => {
    const before = units[(slots.find((slot) => slot.key === key)?.from ?? 0) - 1];
    return runs.flatMap((run, at) => {
      const isLed = leadOf(run.before) === leadOf(before);
      if (!mayReplace(said.get(key)!, run.said)) return [];
      return isLed || !(isDirecting(run.before) || isDirecting(before)) ? [{ at, isLed }] : [];
    });
  });
  const ways = (led: boolean) =>
    bijections(fits.map((each) => each.filter(({ isLed }) => isLed || !led).map(({ at }) => at)));
  const [any, led] = [ways(false), ways(true)];
  const way = any.length === 1 ? any[0] : led.length === 1 ? led[0] : undefined;
  return way && new Map(keys.map((key, at) => [key, runs[way[at]!]!.said]));
}

/** At most two of the ways to give each its own; more than two say no more. */
function bijections(choices: readonly (readonly number[])[]): number[][] {
  const found: number[][] = [];
  const walk = (at: number, taken: readonly number[]): void => {
    if (found.length > 1) return;
    if (at === choices.length) {
      found.push([...taken]);
      return;
    }
    for (const choice of choices[at]!) if (!taken.includes(choice)) walk(at + 1, [...taken, choice]);
  };
  walk(0, []);
  return found;
}
