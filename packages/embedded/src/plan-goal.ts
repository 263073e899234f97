import type { JobInput, OptionChecks, PlanningContext, Resource } from "@planloom/plan";
import { allows } from "./catalogue/allows.ts";
import { readCatalogue } from "./catalogue/catalogue.ts";
import { pathText } from "./catalogue/parameter.ts";
import { checkOptions } from "./check-options.ts";
import { isAboutRecords } from "./choose-planner.ts";
import { withNearest } from "./confidence/nearest.ts";
import type { PlanReading } from "./confidence/plan-evidence.ts";
import { entityValues, recall } from "./context.ts";
import { choicesOf } from "./draft/chosen.ts";
import { type Draft, fillLink, fillValue, hasItems, hasLinks, isFilled, sourcesOf } from "./draft/draft.ts";
import { withLists } from "./draft/each-of-list.ts";
import { linkOptions, minIdLink } from "./draft/link.ts";
import { provenanceOf } from "./draft/provenance.ts";
import { withConditions } from "./draft/said-conditions.ts";
import { makeTasks, missingArguments } from "./draft/tasks.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import { type GoalPart, readCalls } from "./explicit/read-calls.ts";
import { draftCalls } from "./explicit/read-explicit.ts";
import type { FunctionPlanning } from "./functions/arguments/function-planning.ts";
import { orderEffects } from "./functions/chains/order-effects.ts";
import { readFunctions } from "./functions/read-functions.ts";
import { unofferedBy } from "./functions/segmenting/unoffered.ts";
import { type JobText, readJob } from "./job-text.ts";
import { findConditions } from "./language/clauses/conditions.ts";
import { type Clock, type ClockOptions, clockChecks, readClock } from "./language/temporal/calendar.ts";
import { findDates } from "./language/temporal/find-dates.ts";
import { actionsOfVerb, isVerb } from "./language/text/actions.ts";
import { splitName } from "./language/text/split-name.ts";
import { stem } from "./language/text/stem.ts";
import { tokenise } from "./language/text/token.ts";
import type { Words } from "./language/words/wordnet.ts";
import type { Meaning } from "./meaning/meaning.ts";
import { readClauses } from "./records/read-clauses.ts";
import { withChances } from "./with-chances.ts";

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

/** Longer goals are cut here, and the cut is reported. UTF-16 units. */
export const maxGoalLength = 20_000;

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
  const { planned, reading, readBy } = readPlan(goal, resources, options);
  return withChances(planned, reading, readBy);
}

/** A plan before it is judged, and how it came about. */
export interface PlanRead {
  readonly planned: EmbeddedPlan;
  readonly reading: PlanReading;
  /** Which planners read the goal: `exact calls`, `functions`, `records`. */
  readonly readBy: readonly string[];
}

/** Plans without judging; those who learn how far plans can be trusted begin here. @throws as `planGoal` */
export function readPlan(
  goal: string | JobInput,
  resources: readonly Resource[],
  options: PlanGoalOptions = {},
): PlanRead {
  const clock = readClock(options);
  const catalogue = readCatalogue(resources);
  const { job, whole, recalled, prefix, text, dates } = readGoalText(goal, clock, options.context);
  const { meaning } = options;
  const planning: FunctionPlanning = {
    catalogue,
    clock,
    text,
    dates,
    drafts: [],
    unresolved: [],
    chosen: new Map(),
    ...(options.words !== undefined && { words: options.words }),
    ...(meaning?.resources.length === resources.length && { meaning }),
  };
  const parts = readCalls(text, prefix.length, catalogue);
  const { remembered, plannedBy, free } =
    parts.length === 0 ? readPlainly(planning, prefix.length) : readWrittenOut(parts, planning, prefix.length);
  const conditions = findConditions(free, () => tokenise(free, free === text ? dates : []))
    .filter(({ start }) => start >= prefix.length)
    .map((found) => ({ ...found, text: text.slice(found.start, found.end) }));
  if (whole.length > maxGoalLength) {
    const message = `The goal is longer than ${maxGoalLength} characters; the rest was left out.`;
    planning.unresolved.push({ reason: "too_long", text: whole.slice(maxGoalLength, maxGoalLength + 80), message });
  }
  const drafts = withEntities(withoutUnused(planning, remembered), planning, options.context);
  applySettings(drafts, job.settings);
  dropForbidden(drafts, planning);
  dropCredentials(drafts, planning);
  dropPartialItems(drafts, planning);
  const { tasks: plain, ids } = makeTasks(drafts);
  const { tasks: each, listed } = withLists(plain, drafts, ids, text);
  const { tasks, open: undecided } = withConditions(each, drafts, ids, conditions, text);
  for (const { text: said } of undecided) {
    const message = `The plan does its tasks whether "${said}" holds or not: decide it beforehand, or give the run a guard or an approval gate.`;
    planning.unresolved.push({ reason: "condition", text: said, message });
  }
  // A number that a condition compares with is not a value for an argument.
  const decided = conditions.filter((condition) => !undecided.includes(condition));
  const isCompared = ({ reason, text: said }: Unresolved) =>
    reason === "no_parameter" && decided.some((condition) => condition.text.includes(said));
  const shift = recalled.goal === whole.slice(0, maxGoalLength) ? prefix.length : undefined;
  const open = drafts.flatMap((draft) => [
    ...reportMissing(draft, ids),
    ...(listed.has(draft) ? [] : reportFirstOnly(draft, ids)),
  ]);
  const unresolved = withoutParts(distinct([...planning.unresolved.filter((each) => !isCompared(each)), ...open]));
  const asked = drafts.filter(({ support }) => !support);
  const title = whole.replace(/\s+/g, " ").slice(0, 120);
  const choices = new Map(
    [...planning.chosen].map(([draft, choice]) => [draft, withNearest(choice, draft.profile.resource.id, catalogue)]),
  );
  const metadata = {
    planned_by: plannedBy,
    ...(tasks.length > 0 && { provenance: provenanceOf(drafts, ids, shift) }),
    ...(choices.size > 0 && { choices: choicesOf(choices, ids) }),
    ...(unresolved.length > 0 && { unresolved }),
  };
  return {
    planned: { plan: { ...(title !== "" && { title }), planned_tasks: tasks, metadata }, unresolved },
    reading: {
      ...{ drafts, unresolved, chosen: planning.chosen, catalogue, text: free, start: prefix.length },
      offered: asked.length === 0 || asked.some((draft) => unofferedBy(draft, catalogue) === undefined),
      byMeaning: planning.words !== undefined || planning.meaning !== undefined,
    },
    readBy: plannedBy,
  };
}

/** How a goal was read. */
interface GoalReading {
  /** How many tasks come from what is only remembered. */
  readonly remembered: number;
  /** Which planners answered: `exact calls`, `functions`, `records`. */
  readonly plannedBy: readonly string[];
  /** The text without what is written out as calls; blanks take its place. */
  readonly free: string;
}

/** By the planner for catalogues of this kind. */
function readPlainly(planning: FunctionPlanning, goalStart: number): GoalReading {
  const isFunctions = !isAboutRecords(planning.text.slice(goalStart), planning.catalogue);
  const remembered = isFunctions ? readFunctions(planning, goalStart) : readClauses(planning, goalStart);
  return { remembered, plannedBy: [isFunctions ? "functions" : "records"], free: planning.text };
}

/**
 * Calls that are written out by their exact names are taken as they are; only the texts between them are read as sentences. What
 * "then" precedes waits for the part before it.
 */
function readWrittenOut(parts: readonly GoalPart[], planning: FunctionPlanning, goalStart: number): GoalReading {
  const written = draftCalls(parts, planning);
  let free = planning.text;
  for (const part of parts) {
    if (part.kind !== "call") continue;
    const { start, end } = part.call;
    free = free.slice(0, start) + " ".repeat(end - start) + free.slice(end);
  }
  const isPlain = parts.some(({ kind }) => kind === "text");
  const dates = isPlain ? findDates(free, planning.clock) : [];
  const rest: FunctionPlanning = { ...planning, text: free, dates, drafts: [] };
  const reading = isPlain ? readPlainly(rest, goalStart) : { remembered: 0, plannedBy: [] };
  if (rest.choice !== undefined) planning.choice = rest.choice;
  planning.drafts.push(...rest.drafts.slice(0, reading.remembered));
  const left = rest.drafts.slice(reading.remembered);
  const following = new Set<Draft>();
  let before: Draft | undefined;
  for (const [at, part] of parts.entries()) {
    // What separates a text from the call before it belongs to the text.
    const end = part.kind === "text" && at < parts.length - 1 ? part.end : Number.POSITIVE_INFINITY;
    const own = written.get(part);
    const drafts = own === undefined && part.kind === "text" ? takeUntil(left, end) : own === undefined ? [] : [own];
    for (const draft of part.follows ? drafts : []) {
      following.add(draft);
      if (before !== undefined) draft.after.add(before);
    }
    planning.drafts.push(...drafts);
    before = drafts.at(-1) ?? before;
  }
  orderEffects([...written.values()], following);
  return { remembered: reading.remembered, plannedBy: ["exact calls", ...reading.plannedBy], free };
}

/** Takes the drafts from a list whose words begin before an offset, in their order. */
function takeUntil(drafts: Draft[], end: number): Draft[] {
  const at = drafts.findIndex(({ clause }) => (clause.tokens[0]?.start ?? 0) >= end);
  return drafts.splice(0, at < 0 ? drafts.length : at);
}

/** The goal as it is read: with what is remembered before it, and the dates that it names. */
export function readGoalText(goal: string | JobInput, clock: Clock, context: PlanningContext | undefined) {
  const job = readJob(goal);
  const whole = unquoted(job.text.trim());
  const recalled = recall(whole.slice(0, maxGoalLength), context, clock);
  const prefix = recalled.before === "" ? "" : `${recalled.before}\n`;
  const text = prefix + recalled.goal;
  const dates = findDates(text, clock, { forward: looksAhead(recalled.goal) });
  return { job, whole, recalled, prefix, text, dates };
}

/** A goal pasted in quotation marks is the goal, not a quotation in it. */
export function unquoted(text: string): string {
  const [, inner] = /^["“']([^"“”]*)["”']$/s.exec(text) ?? [];
  return inner === undefined || !/\s/.test(inner) ? text : inner.trim();
}

/** Days without a year lie ahead when something is to be made or sent. */
export function looksAhead(goal: string): boolean {
  const first = goal
    .trim()
    .split(/\s+/, 4)
    .map((word) => word.toLowerCase().replace(/[^\p{L}]/gu, ""));
  const verb = first.find(isVerb);
  const actions = actionsOfVerb(verb ?? "");
  return actions.has("create") && !actions.has("read");
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

/** "their" with nothing before it: a remembered id, or what finds a remembered place or name. */
function withEntities(
  drafts: readonly Draft[],
  planning: FunctionPlanning,
  context: PlanningContext | undefined,
): Draft[] {
  const entities = entityValues(context);
  const result = [...drafts];
  for (const draft of drafts) {
    const own = draft.clause.phrases[draft.phrase];
    const back = draft.clause.pointsBack || own?.possessive === true || own?.demonstrative === true;
    if (!back || hasLinks(draft) || drafts[0] !== draft) continue;
    const direct = fillFromEntity(draft, entities);
    const found = direct ? undefined : findByEntity(draft, entities, planning);
    if (found !== undefined) result.splice(result.indexOf(draft), 0, found);
    if (direct || found !== undefined) continue;
    if (own?.possessive !== true && !(draft.clause.pointsBack && draft.phrase < 0)) continue;
    // A function that has all its arguments does not need what a pronoun refers to.
    if (planning.choice !== undefined && missingArguments(draft).length === 0) continue;
    const word = own?.possessive === true ? own.determiner : "it";
    const message = `"${word}" refers to nothing that was planned before or is remembered.`;
    planning.unresolved.push({ reason: "no_antecedent", text: word, message });
  }
  return result;
}

function fillFromEntity(draft: Draft, entities: readonly { kind: string; value: string }[]): boolean {
  for (const parameter of draft.profile.parameters) {
    const match = entities.find(
      ({ kind }) => parameter.isIdentifier && parameter.entity.length > 0 && parameter.entity.includes(kind),
    );
    if (match === undefined || isFilled(draft, parameter)) continue;
    fillValue(draft, parameter, parameter.takesOne ? match.value : [match.value], { source: "context" });
    return true;
  }
  return false;
}

function findByEntity(
  draft: Draft,
  entities: readonly { kind: string; value: string }[],
  planning: FunctionPlanning,
): Draft | undefined {
  for (const { kind, value } of entities) {
    for (const finder of planning.catalogue.profiles) {
      const parameter = finder.parameters.find(
        (each) =>
          each.name.toLowerCase() === kind && !each.isIdentifier && !each.isCredential && each.types.has("string"),
      );
      if (parameter === undefined || finder === draft.profile) continue;
      const [option] = linkOptions(finder, draft.profile, (each) => !isFilled(draft, each));
      if (option === undefined || option.score < minIdLink) continue;
      const found: Draft = { ...draft, profile: finder, filled: new Map(), after: new Set(), support: true };
      fillValue(found, parameter, value, { source: "context" });
      fillLink(draft, option.parameter, { source: found, path: option.path });
      return found;
    }
  }
  return undefined;
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

/** No argument that its schema forbids; what the goal said of it is reported. */
function dropForbidden(drafts: readonly Draft[], planning: FunctionPlanning): void {
  for (const draft of drafts) {
    for (const [slot, { parameter, filling }] of draft.filled) {
      if (filling.kind !== "value" || allows(parameter, filling.value)) continue;
      draft.filled.delete(slot);
      const text = filling.origin?.text ?? String(filling.value);
      const message = `\`${draft.profile.label}\` does not allow "${text}" for \`${pathText(parameter.path)}\`; it was left out.`;
      planning.unresolved.push({ reason: "no_parameter", text, message });
    }
  }
}

const namedSecret = 'name it in the plan as {"$secret": "NAME"}, since no text of a goal is used as a credential';

/**
 * No text in a credential, where it would be kept with the plan; values may compete for it until here, so that a password that a goal
 * says goes into no other argument.
 */
function dropCredentials(drafts: readonly Draft[], planning: FunctionPlanning): void {
  for (const draft of drafts) {
    for (const [slot, { parameter, filling }] of draft.filled) {
      if (!parameter.isCredential || filling.kind === "link") continue;
      draft.filled.delete(slot);
      // A required one is reported as missing.
      if (parameter.required) continue;
      const name = pathText(parameter.path);
      const message = `\`${draft.profile.label}\` takes \`${name}\` as a secret only; ${namedSecret}.`;
      planning.unresolved.push({ reason: "no_parameter", text: name, message });
    }
  }
}

/** No object in an optional list that lacks a field which it needs; what the goal said of it is reported. */
function dropPartialItems(drafts: readonly Draft[], planning: FunctionPlanning): void {
  for (const draft of drafts) {
    const { parameters } = draft.profile;
    for (const list of parameters.filter((parameter) => !parameter.required && hasItems(draft, parameter.path))) {
      const slot = JSON.stringify(list.path);
      const fields = parameters.filter((parameter) => JSON.stringify(parameter.list) === slot);
      const lacking = fields.filter((field) => field.requiredInItem === true && !isFilled(draft, field));
      if (lacking.length === 0) continue;
      for (const [own, { parameter, filling }] of draft.filled) {
        if (JSON.stringify(parameter.list) !== slot) continue;
        draft.filled.delete(own);
        const text =
          filling.kind === "value" ? (filling.origin?.text ?? String(filling.value)) : pathText(parameter.path);
        const names = lacking.map(({ path }) => `\`${pathText(path)}\``).join(", ");
        const message = `\`${draft.profile.label}\` needs ${names} beside \`${pathText(parameter.path)}\`; "${text}" was left out.`;
        planning.unresolved.push({ reason: "no_parameter", text, message });
      }
    }
  }
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
    const same = each.reason === "too_long" ? each.message : JSON.stringify([each.reason, each.text, each.task_id]);
    if (seen.has(same)) return false;
    seen.add(same);
    return true;
  });
}

/** An argument that holds one id, fed by a list: the rest of the list is left out. */
function reportFirstOnly(draft: Draft, ids: ReadonlyMap<Draft, string>): Unresolved[] {
  return [...draft.filled.values()].flatMap(({ parameter, filling }) => {
    if (filling.kind !== "link" || filling.link.one === true || !filling.link.path.includes("[0]")) return [];
    const name = pathText(parameter.path);
    const source = ids.get(filling.link.source) ?? "";
    const task = ids.get(draft) ?? "";
    const message = `\`${draft.profile.label}\` takes one \`${name}\`, so only the first row of \`${source}\` is used.`;
    return [{ reason: "first_only", text: name, message, task_id: task }];
  });
}

function reportMissing(draft: Draft, ids: ReadonlyMap<Draft, string>): Unresolved[] {
  return missingArguments(draft).map((parameter) => {
    const name = pathText(parameter.path);
    const task = ids.get(draft) ?? "";
    const hint = parameter.description === "" ? "" : ` (${parameter.description.slice(0, 120).replace(/\.$/, "")})`;
    const why = parameter.isCredential ? namedSecret : "the goal does not say it and no task before yields it";
    const message = `\`${draft.profile.label}\` needs \`${name}\`${hint}; ${why}.`;
    return { reason: "missing_argument", text: name, message, task_id: task };
  });
}
