import type { PlannerTaskInput } from "@planloom/plan";
import { verbStems } from "./catalogue/acts-of.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { Profile } from "./catalogue/profile.ts";
import { isMixed } from "./choose-planner.ts";
import type { Draft } from "./draft/draft.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import type { Reader } from "./functions/arguments/function-planning.ts";
import { doesAct } from "./functions/segmenting/does-act.ts";
import { objectOfTool, objectSaid } from "./functions/segmenting/object-of-act.ts";
import { openingOf } from "./functions/segmenting/opening.ts";
import { isContent } from "./language/text/content-words.ts";
import { numberWords } from "./language/text/number-words.ts";
import { singular } from "./language/text/singular.ts";
import { splitName } from "./language/text/split-name.ts";
import { sameStem } from "./language/text/stem.ts";
import { tokenise } from "./language/text/token.ts";
import type { PlanRead } from "./plan-read.ts";
import { proposalBelow, withChances } from "./with-chances.ts";

/** Of two readings of one goal the second is taken where it is right with at least this likelihood, */
const minOther = 0.5;
/** or with this one where the first refused a question, or had a place for nothing that is said; */
const minForQuestion = 0.4;
/** or with this one where the first refused, and the second asks for arguments; */
const minForAsking = 0.15;
/** and with so much more than the first. */
const minGain = 0.1;
/** From this gain on a change that is done as it is asked may take the place of other calls. */
const largeGain = 0.25;

export const judged = ({ planned, reading, readBy }: PlanRead) => withChances(planned, reading, readBy);

/** That the whole plan is right, 0 to 1; of a refusal 0. */
function chanceOf({ plan }: EmbeddedPlan): number {
  const chance = plan.metadata?.confidence;
  return typeof chance === "number" ? chance : 0;
}

/**
 * Who reads a goal again of which its planner is not sure: the other one, where some tools list records and others do not. "The open orders in Bonn"
 * are records, "email Ann that they are late" is a call.
 */
export function otherReader(read: PlanRead, plan: EmbeddedPlan, catalogue: Catalogue): Reader | undefined {
  const { readBy } = read;
  const isSure = chanceOf(plan) >= proposalBelow && !doesOneOf(plan) && !leavesAct(read, catalogue);
  if (isSure || !isMixed(catalogue) || read.reading.chance !== undefined) return undefined;
  return readBy.includes("records") ? "functions" : readBy.includes("functions") ? "records" : undefined;
}

/**
 * The plan of the second reading, if it is clearly more likely right, loses no call and no argument and brings one. What has no call that lacks nothing gives way
 * only to a call that changes something as it is asked, and so do other calls where the gain is large or all that the first had no place for is said.
 */
export function better(plan: EmbeddedPlan, first: PlanRead, read: PlanRead): EmbeddedPlan | undefined {
  const chance = chanceOf(plan);
  const other = judged(read);
  const isHeard = hearsValues(read, plan.unresolved);
  const { catalogue } = first.reading;
  const isWhole =
    (doesOneOf(plan) && !doesOneOf(other)) || (leavesAct(first, catalogue) && !leavesAct(read, catalogue));
  const isAnswer =
    plan.plan.planned_tasks.length === 0 && read.reading.drafts.every(({ profile }) => profile.effect === "reads");
  if (plan.plan.planned_tasks.length === 0 && onlyAsks(other) && read.reading.drafts.some(changesAsAsked)) return other;
  if (isAnswer && other.unresolved.length === 0 && chanceOf(other) >= minForQuestion) return other;
  if (saysNothing(plan) && isSureRead(read, other, plan)) return other;
  if (doesTheRest(other, plan)) return other;
  if (chanceOf(other) >= Math.max(minOther, chance) && hearsAll(read, plan)) return other;
  if (chanceOf(other) < Math.max(minOther, isHeard ? 0 : chance + (isWhole ? -minGain : minGain))) return undefined;
  const isBare = plan.plan.planned_tasks.length === lackingOf(plan).size;
  const isChange = read.reading.drafts.some(changesAsAsked);
  if (isChange && (chanceOf(other) >= chance + largeGain || isHeard)) return other;
  if (isBare && !isChange && !callsSame(other, plan)) return undefined;
  return has(other, plan, lackingOf(plan)) && (isWhole || !has(plan, other, new Set())) ? other : undefined;
}

/** It calls without any argument, and has no place for names, numbers or words that select. */
const saysNothing = ({ plan, unresolved }: EmbeddedPlan): boolean =>
  plan.planned_tasks.length > 0 &&
  plan.planned_tasks.every(({ arguments: given = {} }) => Object.keys(given).length === 0) &&
  unresolved.some(({ reason }) => reason === "no_parameter");

/** "If bed 3 is free, give it to Ann": it has all calls of a plan that leaves a request undone, and more, and leaves nothing open. */
const doesTheRest = (other: EmbeddedPlan, { plan, unresolved }: EmbeddedPlan): boolean =>
  chanceOf(other) >= minOther &&
  other.unresolved.length === 0 &&
  unresolved.some(({ reason }) => reason === "no_resource") &&
  plan.planned_tasks.length > 0 &&
  other.plan.planned_tasks.length > plan.planned_tasks.length &&
  has(other, { plan, unresolved }, new Set());

/** It reads by what is said, and leaves nothing open that the first did not. */
const isSureRead = ({ reading: { drafts } }: PlanRead, other: EmbeddedPlan, { unresolved }: EmbeddedPlan): boolean =>
  chanceOf(other) >= minForQuestion &&
  other.unresolved.every(({ reason, text }) =>
    unresolved.some((each) => each.reason === reason && each.text === text),
  ) &&
  drafts.every(({ profile, filled }) => profile.effect === "reads" && filled.size > 0);

/** It does what is asked once some arguments are given, which is more than a refusal. */
const onlyAsks = (other: EmbeddedPlan): boolean =>
  chanceOf(other) >= minForAsking &&
  other.plan.planned_tasks.length > 0 &&
  other.unresolved.some(({ reason }) => reason === "missing_argument") &&
  other.unresolved.every(({ reason }) => reason === "missing_argument" || reason === "first_only");

/** It does once, or for the first of several, what is asked for each: "cancel all bookings of M-3" as one call. */
const doesOneOf = ({ unresolved }: EmbeddedPlan) => unresolved.some(({ reason }) => reason === "first_only");

/** What one reading had no place for and no argument of the tasks of the other one says; it is open there too. */
export function unheard(points: readonly Unresolved[], tasks: readonly PlannerTaskInput[]): readonly Unresolved[] {
  if (points.length === 0) return [];
  const isHeard = heardBy(tasks);
  const open = points.filter(({ reason, text }) => notTaken.has(reason) && !isHeard(text));
  return open.map(({ task_id: _, ...point }) => point);
}

/** All names and numbers that one reading had no place for are arguments of the other one, which leaves nothing else open. */
function hearsValues({ planned }: PlanRead, points: readonly Unresolved[]): boolean {
  const valued = points.filter(({ reason, text }) => notTaken.has(reason) && /[\p{Lu}\d"]/u.test(text));
  const isHeard = heardBy(planned.plan.planned_tasks);
  const isOld = ({ reason, text }: Unresolved) => points.some((each) => each.reason === reason && each.text === text);
  return valued.length > 0 && planned.unresolved.every(isOld) && valued.every(({ text }) => isHeard(text));
}

/** All that one reading had no place for is said by arguments of the other one, which leaves nothing open. */
function hearsAll({ planned }: PlanRead, { unresolved }: EmbeddedPlan): boolean {
  const isHeard = heardBy(planned.plan.planned_tasks);
  const open = unresolved.filter(({ reason }) => notTaken.has(reason));
  // What is said of the time stays open for both.
  const isOfBoth = ({ reason, text }: Unresolved) =>
    !notTaken.has(reason) && unresolved.some((each) => each.reason === reason && each.text === text);
  return open.length > 0 && planned.unresolved.every(isOfBoth) && open.every(({ text }) => isHeard(text));
}

/** "Read all moisture sensors" by a tool that lists them, where another one reads a sensor. */
function leavesAct({ reading: { drafts } }: PlanRead, { profiles }: Catalogue): boolean {
  const asked = drafts.find(({ support }) => !support);
  if (asked === undefined) return false;
  const { tokens } = asked.clause;
  const opening = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const isCalledBy = (profile: Profile) => verbStems(profile).has(opening.stem);
  if (!opening.imperative || drafts.some(({ profile }) => isCalledBy(profile))) return false;
  const object = objectSaid(tokens, opening);
  return (
    object !== undefined && profiles.some((profile) => isCalledBy(profile) && sameStem(objectOfTool(profile), object))
  );
}

/** Whether the arguments of tasks say what a text does. */
function heardBy(tasks: readonly PlannerTaskInput[]): (text: string) => boolean {
  const given = JSON.stringify(tasks.map((task) => [task.arguments, task.when])).toLowerCase();
  return (text) => {
    const content = contentOf(text);
    const plain = text.toLowerCase().replaceAll(/^["'“‘`]|["'”’`]$/gu, "");
    return content.length === 0 ? given.includes(plain) : content.every((word) => given.includes(word));
  };
}

const notTaken: ReadonlySet<Unresolved["reason"]> = new Set(["no_parameter", "no_antecedent"]);

/** The words of a text that say something, and its numbers as digits. */
function contentOf(text: string): string[] {
  const tokens = tokenise(text);
  const content: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const { kind, lower, value } = tokens[at]!;
    const spelled = numberWords(tokens, at);
    if (spelled !== undefined) {
      content.push(String(spelled.value));
      at = spelled.to - 1;
    } else if (kind === "number") content.push(String(value));
    else if (kind !== "punctuation" && isContent(lower) && !/^(?:last|past|next)$/.test(lower))
      content.push(...splitName(lower).filter(isContent).map(singular));
  }
  return content;
}

function changesAsAsked({ profile, clause: { tokens } }: Draft): boolean {
  return profile.effect !== "reads" && doesAct(profile, openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 }));
}

/** Ids of the tasks that lack an argument. */
const lackingOf = ({ unresolved }: EmbeddedPlan) =>
  new Set(unresolved.flatMap((each) => (each.reason === "missing_argument" ? [each.task_id] : [])));

/** All tools of a plan are called in another one that lacks no argument, after others that find what was missing. */
function callsSame(other: EmbeddedPlan, { plan }: EmbeddedPlan): boolean {
  const called = new Set(other.plan.planned_tasks.map(({ tool_id }) => tool_id));
  return (
    plan.planned_tasks.length > 0 &&
    lackingOf(other).size === 0 &&
    plan.planned_tasks.every(({ tool_id }) => called.has(tool_id))
  );
}

/** Whether a plan has each call of another one but those left out, with an argument or a condition wherever that has one. */
function has(plan: EmbeddedPlan, other: EmbeddedPlan, leftOut: ReadonlySet<string | undefined>): boolean {
  const left = [...plan.plan.planned_tasks];
  return other.plan.planned_tasks.every(({ task_id, tool_id, arguments: given = {}, when }) => {
    const at = left.findIndex(
      (task) =>
        task.tool_id === tool_id &&
        Object.keys(given).every((name) => name in (task.arguments ?? {})) &&
        (when === undefined || task.when !== undefined),
    );
    if (at >= 0) left.splice(at, 1);
    return at >= 0 || leftOut.has(task_id);
  });
}
