import { abbreviations } from "../language/text/lexicon.ts";
import { endsValue, type GoalUnit, linksNames } from "./goal-units.ts";

/** Adjacent words of a goal that say a value of its plan. */
export interface SaidText {
  readonly text: string;
  readonly units: readonly GoalUnit[];
}

/** What the units from `from` to before `to` say, as it is written. */
export function saidText(goal: string, units: readonly GoalUnit[], from: number, to: number): SaidText {
  const run = units.slice(from, to);
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return { text: "", units: run };
  const text = run.length === 1 ? first.text : goal.slice(first.start, last.end);
  // The point of "Inc." belongs to it, also where a sentence ends with it.
  const isShortened = last.kind === "word" && goal[last.end] === "." && abbreviations.has(last.text.toLowerCase());
  return { text: isShortened ? `${text}.` : text, units: run };
}

export const sameText = (left: SaidText, right: SaidText): boolean =>
  left.units.length === right.units.length && left.units.every(({ key }, at) => key === right.units[at]!.key);

/** More words no value without quotation marks has. */
const maxValueWords = 8;

/**
 * Whether new words can replace the old ones: a number replaces a number, an address an address, a name a name. A quotation may contain anything; words
 * without quotation marks may contain no conjunction, preposition or negation.
 */
export function mayReplace(old: SaidText, said: SaidText): boolean {
  if (sameText(old, said)) return true;
  const [first] = old.units;
  const [begin] = said.units;
  if (first === undefined || begin === undefined || said.units.length > maxValueWords) return false;
  if (first.joint !== begin.joint) return false;
  if (said.units.slice(1).some(({ afterBreak }) => afterBreak)) return false;
  if (addsJoint(old, said) || addsSpan(old, said)) return false;
  const isOne = old.units.length === 1;
  if (isOne && first.kind !== "word") {
    return (
      said.units.length === 1 && sort(first) === sort(begin) && (first.kind !== "number" || isLikeNumber(first, begin))
    );
  }
  if (said.units.some(({ kind }) => kind === "quoted" || kind === "date")) return false;
  if (isName(old)) return isName(said);
  return !said.units.some(endsValue) && (old.units.some(isWordy) ? said.units.some(isWordy) : true);
}

/** "Ann and Bob" and "Ann/Bob" are two, where "Ann" is one. */
function addsJoint(old: SaidText, said: SaidText): boolean {
  const joints = ({ units }: SaidText) =>
    units
      .slice(1)
      .flatMap(({ joint, text }) => [/[/|+&]/.exec(joint ?? "")?.[0] ?? "", /^(?:and|&)$/i.exec(text)?.[0] ?? ""]);
  return joints(said).some((joint) => joint !== "" && !joints(old).includes(joint));
}

const spans = /^(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?)$/i;

/** "two days" before a date belongs to the date, and not to what is looked for. */
function addsSpan(old: SaidText, said: SaidText): boolean {
  const has = ({ units }: SaidText) => units.some(({ text }) => spans.test(text));
  return has(said) && !has(old);
}

/** A number below zero takes the place of none above, and "1.000" may be a thousand. */
function isLikeNumber(old: GoalUnit, said: GoalUnit): boolean {
  const isBelow = ({ value = 0 }: GoalUnit) => value < 0;
  const isEither = ({ text }: GoalUnit) => /^\D?\d{1,3}\.\d{3}$/.test(text);
  return isBelow(old) === isBelow(said) && (isEither(old) || !isEither(said));
}

const isWordy = ({ kind }: GoalUnit) => kind === "word";

/** Begins and ends with a capital letter or a number; small words may link it. */
function isName({ units }: SaidText): boolean {
  const isPart = ({ kind, capital }: GoalUnit) =>
    (kind === "word" && capital) || kind === "number" || kind === "literal";
  const [first] = units;
  const last = units.at(-1);
  if (first === undefined || last === undefined || first.kind !== "word" || !first.capital || !isPart(last))
    return false;
  return units.every((unit) => isPart(unit) || linksNames(unit));
}

/** Values of one sort can replace each other. */
function sort(unit: GoalUnit): string {
  switch (unit.kind) {
    case "number":
      return `number ${unit.measure ?? ""}`;
    case "date":
      return `date ${dateForm(unit)}`;
    case "literal":
      return `literal ${literalForm(unit.text)}`;
    default:
      return unit.kind;
  }
}

function dateForm({ date, lead }: GoalUnit): string {
  if (date === undefined) return "";
  const { from, to, time, endTime, exclusive } = date;
  const isDay = from !== undefined && to !== undefined && JSON.stringify(from) === JSON.stringify(to);
  return JSON.stringify([isDay ? "day" : [!!from, !!to], !!time, !!endTime, !!exclusive, lead]);
}

const forms: readonly (readonly [form: string, pattern: RegExp])[] = [
  ["address", /^[a-z][a-z0-9+.-]*:\/\//i],
  ["mail", /^[^@\s]+@[^@\s]+$/],
  ["handle", /^@/],
  ["number tag", /^#\d+$/],
  ["tag", /^#/],
  ["pattern", /\*/],
  ["path of a file", /[/\\](?:[^/\\]*\.[a-z][a-z0-9]{0,9})$/i],
  ["path", /[/\\]/],
  ["file", /\.[a-z][a-z0-9]{1,4}$/i],
  ["version", /^v?\d+(?:\.\d+)+/],
  ["digits", /^[\d() +.-]+$/],
];

const literalForm = (text: string): string => forms.find(([, pattern]) => pattern.test(text))?.[0] ?? "name";
