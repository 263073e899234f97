import type { JobInput, OptionChecks, PlanningContext, Resource } from "@planloom/plan";
import { better, judged, otherReader, unheard } from "./both-readings.ts";
import { readCatalogue } from "./catalogue/catalogue.ts";
import { checkOptions } from "./check-options.ts";
import { callChance } from "./confidence/call-chance.ts";
import { withNearest } from "./confidence/nearest.ts";
import { withEntities } from "./context-entities.ts";
import { askCarried } from "./draft/ask-carried.ts";
import { askDay } from "./draft/ask-day.ts";
import { askWhich } from "./draft/ask-which.ts";
import { withAskedHolders } from "./draft/asked-holders.ts";
import { choicesOf } from "./draft/chosen.ts";
import { type Draft, fillValue, isFilled, sourcesOf } from "./draft/draft.ts";
import { dropCredentials, dropForbidden, dropPartialItems } from "./draft/drop-arguments.ts";
import { dropAskedAbout } from "./draft/drop-asked-about.ts";
import { dropExcluded } from "./draft/drop-excluded.ts";
import { dropPredicates } from "./draft/drop-predicates.ts";
import { withLists } from "./draft/each-of-list.ts";
import { withFilteredRows } from "./draft/filter-rows.ts";
import { holdChanges } from "./draft/hold-changes.ts";
import { lookUpConditions } from "./draft/look-up-conditions.ts";
import { moveNames } from "./draft/move-names.ts";
import { type PlaceInGoal, provenanceOf } from "./draft/provenance.ts";
import { reportOneDay } from "./draft/report-one-day.ts";
import { reportFirstOnly, reportMissing, reportUnsought } from "./draft/report-open.ts";
import { reportOtherValues } from "./draft/report-other-values.ts";
import { reportQualifiers } from "./draft/report-qualifiers.ts";
import { reportReversed } from "./draft/report-reversed.ts";
import { withConditions } from "./draft/said-conditions.ts";
import { makeTasks } from "./draft/tasks.ts";
import { tidyValues } from "./draft/tidy-values.ts";
import type { OpenPoint, Unresolved } from "./draft/unresolved.ts";
import { takeWholeTexts } from "./draft/whole-texts.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import type { FunctionPlanning, Reader } from "./functions/arguments/function-planning.ts";
import { withAddresses } from "./functions/chains/find-address.ts";
import { reportEach } from "./functions/each-asked.ts";
import { unofferedBy } from "./functions/segmenting/unoffered.ts";
import { maxGoalLength, readGoalText } from "./goal-text.ts";
import type { JobText } from "./job-text.ts";
import { findConditions } from "./language/clauses/said-conditions.ts";
import { type ClockOptions, clockChecks, readClock } from "./language/temporal/calendar.ts";
import { splitName } from "./language/text/split-name.ts";
import { stem } from "./language/text/stem.ts";
import { tokenise } from "./language/text/token.ts";
import type { Words } from "./language/words/wordnet.ts";
import type { Meaning } from "./meaning/meaning.ts";
import type { PlanRead } from "./plan-read.ts";
import { readGoal } from "./read-goal.ts";
import { fitsDelays, type TimesRead, takesText, takesTimes, withTiming } from "./said-timing.ts";
import { withUnanswered } from "./unanswered.ts";
import { withUncomputed } from "./uncomputed.ts";
import { withUnheardWords } from "./unheard-words.ts";

export interface PlanGoalOptions extends ClockOptions {
  /** What is remembered: lets "their" and "the same for B" be read. */
  readonly context?: PlanningContext;
  /** What words mean beyond their form: `wordnet(folder)`. @default none: words match by their stems only */
  readonly words?: Words;
  /** What `encodeGoal` made of the same goal and resources. @default none */
  readonly meaning?: Meaning;
}

/** What is checked of each option. */
export const planGoalChecks = {
  ...clockChecks,
  context: "object",
  words: "object",
  meaning: "object",
} as const satisfies OptionChecks<PlanGoalOptions>;

/**
 * Plans a goal from the resources' own names, descriptions and schemas. Deterministic; never throws for any goal or
 * resources. No task in the plan means that nothing of the goal was understood: `unresolved` says what.
 * Linear in the goal's length; the catalogue is indexed once per array of resources.
 * @throws EmbeddedError OPTION for an unknown option, and for a wrong `now` or `timeZone`.
 */
export function planGoal(
  goal: string | JobInput,
  resources: readonly Resource[],
  options: PlanGoalOptions = {},
): EmbeddedPlan {
  checkOptions("`planGoal`", options, planGoalChecks);
  const texts: ReadAgain["texts"] = new Map();
  const first = readPlan(goal, resources, options, { texts });
  const plan = judged(first);
  const reader = otherReader(first, plan, readCatalogue(resources));
  const other = reader && readPlan(goal, resources, options, { reader, carried: plan.unresolved, texts });
  const chosen = (other && better(plan, first, other)) ?? plan;
  const read = chosen === plan ? first : other;
  if (read === undefined || read.readBy.includes("exact calls")) return chosen;
  const answered = withUnanswered(chosen, read.reading);
  const computed = read.readBy.includes("functions") ? withUncomputed(answered, read.reading) : answered;
  return withUnheardWords(computed, read.reading);
}

/** A goal that was read already is read by the other planner. */
interface ReadAgain {
  readonly reader?: Reader;
  /** What the first reading left open. */
  readonly carried?: readonly Unresolved[];
  /** What was read of the goal's text, by the times that were looked for. */
  readonly texts?: Map<TimesRead, ReturnType<typeof readGoalText>>;
}

/** Plans without judging; those who learn how far plans can be trusted begin here. @throws as `planGoal` */
export function readPlan(
  goal: string | JobInput,
  resources: readonly Resource[],
  options: PlanGoalOptions = {},
  again: ReadAgain = {},
): PlanRead {
  const read = (times: TimesRead) => readTimed(goal, resources, options, times, again);
  const timed = read("all");
  const plain = timed === undefined || timed.delays.length > 0 ? (read("plain") ?? read("none")!) : timed;
  // "Request a berth, arriving at 14:30": a time that a tool takes is left to it.
  const isTaken = timed?.delays.some((delay) => takesText(plain.reading.drafts, delay, timed.reading.drafts)) !== false;
  return isTaken ? plain : timed;
}

/** Undefined where words that would say when the goal is carried out are for a tool that is called. */
function readTimed(
  goal: string | JobInput,
  resources: readonly Resource[],
  options: PlanGoalOptions,
  times: TimesRead,
  { reader, carried = [], texts }: ReadAgain,
): PlanRead | undefined {
  const clock = readClock(options);
  const catalogue = readCatalogue(resources);
  const said = texts?.get(times) ?? readGoalText(goal, clock, options.context, catalogue, times);
  texts?.set(times, said);
  const { job, whole, placeOf, prefix, text, polite, dates, timing } = said;
  const { meaning } = options;
  const planning: FunctionPlanning = {
    catalogue,
    clock,
    text,
    polite,
    dates,
    drafts: [],
    unresolved: [],
    readAs: new Map(),
    chosen: new Map(),
    ...(reader !== undefined && { reader }),
    ...(options.words !== undefined && { words: options.words }),
    ...(meaning?.resources.length === resources.length && { meaning }),
  };
  const { remembered, plannedBy, free, chance } = readGoal(planning, prefix.length);
  const takesAnyTimes = planning.drafts.length === 0 || planning.drafts.some(({ profile }) => takesTimes(profile));
  if (times === "all" && !fitsDelays(planning.drafts.slice(remembered), timing.waits)) return undefined;
  if (times !== "none" && (timing.recurrence !== undefined || timing.waits.length > 0) && takesAnyTimes)
    return undefined;
  const conditions = findConditions(text, () => tokenise(free, free === text ? dates : []), catalogue.verbs).filter(
    ({ start }) => start >= prefix.length,
  );
  if (whole.length > maxGoalLength) {
    const message = `The goal is longer than ${maxGoalLength} characters; the rest was left out.`;
    planning.unresolved.push({ reason: "too_long", text: whole.slice(maxGoalLength, maxGoalLength + 80), message });
  }
  const wanted = dropAskedAbout(withoutUnused(planning, remembered), planning);
  const known = withAskedHolders(withEntities(wanted, planning, options.context), catalogue);
  const found = withAddresses(known, planning);
  const drafts = lookUpConditions(found, conditions, planning);
  takeWholeTexts(drafts, planning);
  tidyValues(drafts, planning.text);
  applySettings(drafts, job.settings);
  askDay(drafts, planning);
  askCarried(drafts, planning);
  askWhich(drafts, planning);
  reportOtherValues(drafts, planning);
  reportReversed(drafts, planning);
  reportOneDay(drafts, planning);
  dropExcluded(drafts, planning);
  dropForbidden(drafts, planning);
  dropCredentials(drafts, planning);
  dropPartialItems(drafts, planning);
  dropPredicates(drafts);
  moveNames(drafts);
  reportQualifiers(drafts, planning, prefix.length);
  const { tasks: plain, ids } = makeTasks(drafts);
  const { tasks: each, listed } = withLists(plain, drafts, ids, text);
  const {
    tasks: conditional,
    open: undecided,
    guessed,
  } = withConditions(each, drafts, ids, conditions, text, catalogue);
  const {
    tasks,
    heard,
    unheard: dropped,
  } = withFilteredRows(conditional, drafts, listed, planning.unresolved, planning);
  reportConditions(planning, undecided, guessed);
  // A number that a condition compares with is not a value for an argument.
  const decided = conditions.filter((condition) => !undecided.includes(condition));
  const isCompared = ({ reason, text: said }: Unresolved) =>
    reason === "no_parameter" && decided.some((condition) => condition.text.includes(said));
  const open = drafts.flatMap((draft) => [
    ...reportMissing(draft, ids),
    ...reportUnsought(draft, ids),
    ...(listed.has(draft) ? [] : reportFirstOnly(draft, ids)),
  ]);
  open.push(...reportEach(drafts, listed, ids, (own) => catalogue.byChoice.has(own)));
  const points = withoutParts(
    distinct([
      ...planning.unresolved.filter((each) => !isCompared(each) && !heard.has(each)).map((each) => placed(each, ids)),
      ...dropped.map((each) => placed(each, ids)),
      ...open,
      ...unheard(carried, tasks),
    ]),
  );
  const sure = holdChanges(tasks, drafts, ids, points);
  const { tasks: held, schedule, unresolved: untimed } = withTiming(sure.tasks, drafts, timing);
  const unresolved = [...sure.unresolved, ...untimed];
  const asked = drafts.filter(({ support }) => !support);
  const title = whole.replace(/\s+/g, " ").slice(0, 120);
  const choices = new Map(
    [...planning.chosen].map(([draft, choice]) => [
      draft,
      { ...withNearest(choice, draft.profile.resource.id, catalogue), likelihood: callChance(choice) },
    ]),
  );
  const readAs = slipsOf(planning, drafts, placeOf);
  const metadata = {
    planned_by: plannedBy,
    ...(held.length > 0 && { provenance: provenanceOf(drafts, ids, placeOf) }),
    ...(choices.size > 0 && { choices: choicesOf(choices, ids) }),
    ...(readAs.length > 0 && { read_as: readAs }),
    ...(unresolved.length > 0 && { unresolved }),
    ...(schedule !== undefined && { schedule }),
  };
  return {
    planned: { plan: { ...(title !== "" && { title }), planned_tasks: held, metadata }, unresolved },
    reading: {
      ...{ drafts, unresolved, chosen: planning.chosen, catalogue, text: free, start: prefix.length },
      offered: asked.length === 0 || asked.some((draft) => unofferedBy(draft, catalogue) === undefined),
      byMeaning: planning.words !== undefined || planning.meaning !== undefined,
      ...(chance !== undefined && { chance }),
    },
    readBy: plannedBy,
    delays: timing.waits.filter(({ delays }) => delays !== undefined),
  };
}

/** Words that were read as others, with their places in the goal; what an argument took keeps its letters. */
function slipsOf({ readAs }: FunctionPlanning, drafts: readonly Draft[], placeOf: PlaceInGoal) {
  const taken = drafts.flatMap(({ filled }) =>
    [...filled.values()].flatMap(({ filling }) => {
      const { start, text = "" } = (filling.kind === "value" && filling.origin) || {};
      return start === undefined ? [] : [[start, start + text.length] as const];
    }),
  );
  return [...readAs.values()]
    .filter(({ start }) => taken.every(([from, to]) => start < from || start >= to))
    .sort((left, right) => left.start - right.start)
    .map(({ text, as, start }) => {
      const place = placeOf(start, text);
      return { text, as, ...(typeof place === "number" && { start: place }) };
    });
}

/** Says which conditions decide nothing, and which are read by a guess. */
function reportConditions(
  { unresolved }: FunctionPlanning,
  undecided: readonly { readonly text: string }[],
  guessed: readonly { readonly text: string; readonly expression: string }[],
): void {
  for (const said of new Set(undecided.map((each) => each.text))) {
    const message = `Nothing in the plan decides whether "${said}" holds: what it would change waits for an approval, and what it only reads is read in any case.`;
    unresolved.push({ reason: "condition", text: said, message });
  }
  for (const { text: said, expression } of guessed) {
    const message = `"${said}" is read as \`${expression}\`, since no other field is left that could say it; what it would change waits for an approval.`;
    unresolved.push({ reason: "condition", text: said, message });
  }
}

/** Without remembered tasks that nothing asked for now uses. */
function withoutUnused(planning: FunctionPlanning, remembered: number): Draft[] {
  if (remembered === 0) return planning.drafts;
  const wanted = new Set<Draft>();
  const visit = (draft: Draft): void => {
    if (wanted.has(draft)) return;
    wanted.add(draft);
    for (const source of [...sourcesOf(draft), ...draft.after]) visit(source);
  };
  for (const draft of planning.drafts.slice(remembered)) visit(draft);
  return planning.drafts.filter((draft) => wanted.has(draft));
}

/** Objectives and steerability such as `{max_rows: 50}` fill parameters of that name that are still open. */
function applySettings(drafts: readonly Draft[], settings: JobText["settings"]): void {
  for (const { name, value } of settings) {
    const stems = splitName(name).map(stem).join(" ");
    for (const draft of drafts) {
      const parameter = draft.profile.parameters.find((each) => each.stems.join(" ") === stems);
      if (parameter === undefined || parameter.isCredential || isFilled(draft, parameter)) continue;
      const types = parameter.types;
      const fits =
        types.size === 0 ||
        (typeof value === "number" && (types.has("number") || (types.has("integer") && Number.isInteger(value)))) ||
        types.has(typeof value as "string" | "boolean");
      const allowed = parameter.choices.length === 0 || parameter.choices.some((choice) => choice.value === value);
      if (fits && allowed) fillValue(draft, parameter, parameter.takesOne ? value : [value], { source: "job" });
    }
  }
}

/** With the id of the task that it is about. */
function placed({ draft, ...open }: OpenPoint, ids: ReadonlyMap<Draft, string>): Unresolved {
  const task = draft === undefined ? undefined : ids.get(draft);
  return task === undefined ? open : { ...open, task_id: task };
}

/** Words of a condition that is reported already are not reported again as a filter without a parameter. */
function withoutParts(all: readonly Unresolved[]): Unresolved[] {
  const conditions = all.flatMap(({ reason, text }) => (reason === "condition" ? [text] : []));
  return all.filter(
    ({ reason, text }) => reason !== "no_parameter" || conditions.every((each) => !each.includes(text)),
  );
}

/** Without repetitions; each kind of thing is said once. */
function distinct(all: readonly Unresolved[]): Unresolved[] {
  const seen = new Set<string>();
  return all.filter((each) => {
    const said = JSON.stringify([each.reason, each.text]);
    const same = each.reason === "too_long" ? each.message : `${said} ${each.task_id ?? ""}`;
    if (seen.has(same) || (each.task_id === undefined && seen.has(said))) return false;
    seen.add(same).add(said);
    return true;
  });
}
