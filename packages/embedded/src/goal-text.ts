import type { JobInput, PlanningContext } from "@planloom/plan";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { recall } from "./context.ts";
import type { PlaceInGoal } from "./draft/provenance.ts";
import { holdsTrial } from "./functions/arguments/trial-runs.ts";
import { readJob } from "./job-text.ts";
import { correctionsIn } from "./language/clauses/corrections.ts";
import { courtesiesIn } from "./language/clauses/courtesies.ts";
import { softBreaksIn } from "./language/clauses/line-breaks.ts";
import { inPlainWriting, type KnownWords } from "./language/clauses/plain-writing.ts";
import { refusedRequestsIn } from "./language/clauses/refused-requests.ts";
import type { Clock } from "./language/temporal/calendar.ts";
import { findDates } from "./language/temporal/find-dates.ts";
import { actionsOfVerb, isVerb } from "./language/text/actions.ts";
import { placeInOther } from "./language/text/place-in-other.ts";
import { singular } from "./language/text/singular.ts";
import { splitName } from "./language/text/split-name.ts";
import type { Token } from "./language/text/token.ts";
import { recurrenceIn, type SaidTiming, type TimesRead, waitsIn, withBlanks } from "./said-timing.ts";

/** Longer goals are cut here, and the cut is reported. UTF-16 units. */
export const maxGoalLength = 20_000;

/**
 * The goal as it is read: with what is remembered before it, and the dates that it names. Blanks take the place of what it says of when it is to be carried
 * out.
 * @param times which words say so; the others are left to the tools
 */
export function readGoalText(
  goal: string | JobInput,
  clock: Clock,
  context: PlanningContext | undefined,
  catalogue: Catalogue,
  times: TimesRead,
) {
  const job = readJob(goal);
  const whole = unquoted(job.text.trim());
  const cut = whole.slice(0, maxGoalLength);
  const plain = inPlainWriting(cut, knownWords(catalogue));
  const recalled = recall(plain, context, clock);
  const prefix = recalled.before === "" ? "" : `${recalled.before}\n`;
  const unbroken = withBlanks(recalled.goal, softBreaksIn(recalled.goal));
  const said = prefix + withBlanks(unbroken, correctionsIn(unbroken));
  const recurrence = times === "none" ? undefined : recurrenceIn(said, prefix.length);
  const once = recurrence === undefined ? said : withBlanks(said, [recurrence]);
  const own = once.slice(prefix.length);
  const found = findDates(once, clock, {
    forward: looksAhead(own) || namesArranged(own, catalogue) || setsDay(own, catalogue),
    moves: firstWords(own).some((word) => moving.test(word)),
  });
  const ahead = times === "all" ? findDates(once, clock, { forward: true }) : found;
  const waits = waitsIn(once, prefix.length, ahead, clock, catalogue, times);
  const polite = withBlanks(once, waits);
  const courtesies = courtesiesIn(polite, prefix.length, catalogue.verbs);
  const refused = refusedRequestsIn(polite, catalogue.verbs, (verb) => isSwitched(verb, catalogue));
  const struck = [...waits, ...courtesies, ...refused];
  const text = withBlanks(polite, [...courtesies, ...refused]);
  const dates = found.filter((date) => !struck.some(({ start, end }) => date.start < end && start < date.end));
  const timing: SaidTiming = { waits, ...(recurrence !== undefined && { recurrence }) };
  const placeOf: PlaceInGoal = (start, said) => {
    if (recalled.goal !== plain) return undefined;
    if (start < prefix.length) return "before";
    const own = start - prefix.length;
    return plain === cut ? own : placeInOther(said ?? "", own, plain, cut);
  };
  return { job, whole, placeOf, prefix, text, polite, dates, timing };
}

/** A tool can be tried without doing anything, or takes whether it does what the verb says. */
const isSwitched = ({ stem }: Token, { profiles }: Catalogue): boolean =>
  profiles.some(({ parameters }) =>
    parameters.some((each) => holdsTrial(each) || (each.types.has("boolean") && each.stems.includes(stem))),
  );

const known = new WeakMap<Catalogue, KnownWords>();

/** The words of a catalogue; made once for each. */
function knownWords(catalogue: Catalogue): KnownWords {
  const own = known.get(catalogue) ?? {
    verbs: new Set([
      ...catalogue.verbs,
      ...catalogue.profiles.flatMap(({ nameWords }) => (nameWords.length > 1 ? nameWords.slice(0, 1) : [])),
    ]),
    knows: (stem: string) => catalogue.knows(stem) || catalogue.byChoice.has(stem) || catalogue.byAttribute.has(stem),
  };
  known.set(catalogue, own);
  return own;
}

/** A goal pasted in quotation marks is the goal, not a quotation in it. */
export function unquoted(text: string): string {
  const [, inner] = /^["“']([^"“”]*)["”']$/s.exec(text) ?? [];
  return inner === undefined || !/\s/.test(inner) ? text : inner.trim();
}

/** Verbs by which it is written down what has happened. */
const recording = /^(?:log|record|note|enter|report|jot)$/;

/** Verbs by which something gets another time, and those by which a person is informed of one. */
const moving = /^(?:move|reschedule|postpone|shift|push|delay|defer)$/;
/** What is due, expires or is to be done on a day does so on the next one that is called so. */
const isToCome =
  /\b(?:due(?! to\b)|expires?|expiring|upcoming|(?:to|must|shall|should) (?:be|get) \p{L}{3,}(?:ed|en))\b/iu;
/** "How will the weather be on Saturday?" */
const isForetold =
  /\b(?:will|forecasts?|going to)\b[^.!]*\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b[^.!]*\b(?:will|forecasts?|going to)\b/i;
/** "Cancel the visits on Friday", "is Ann free on Friday?": what can be called off or is asked about now lies ahead. */
const isOfNow = /^\s*(?:cancel|call off|is|are|will)\b.*\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/is;
const isOver = /\b(?:was|were|had|did|happened|missed|attended)\b/i;
/** What takes place at a time that was arranged: "classes on Friday" are those to come. */
const isArranged =
  /\b(?:classes|lessons?|courses?|sessions?|meetings?|appointments?|events?|concerts?|screenings?|flights?|trains?|departures?|arrivals?|reservations?|bookings?|shifts?|interviews?|exams?|workshops?|webinars?|calendars?|agendas?|diary|arrives?|departs?|leaves?|free|available)\b/i;
const arranging = /^(?:remind|invite|arrange|plan)$/;

/** Names of fields that hold when something begins, or what can still be had of it. */
const beginning = /^(?:starts?|begins?|departs?|departure|opens?|scheduled|free|available|seats|places)(?:[A-Z_]|$)/;

/** A tool that says what is to come. */
const foretelling = /\b(?:forecasts?|predicts?|predictions?|outlook|upcoming)\b/i;

/**
 * "Rehearsals on Friday" are those to come, where a tool lists them by when they start; "the weather on Saturday" is that of the next one, where a tool forecasts it. O(words of the goal + tools) for goals
 * that name a weekday.
 */
function namesArranged(goal: string, { profiles }: Catalogue): boolean {
  if (!/\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/i.test(goal) || isOver.test(goal)) return false;
  const nouns = new Set(splitName(goal.slice(0, 500)).map(singular));
  return profiles.some(
    ({ entity, output, resource }) =>
      nouns.has(entity.at(-1) ?? "") &&
      (output.fields.some(({ name }) => beginning.test(name)) ||
        foretelling.test(`${resource.id} ${resource.description.slice(0, 300)}`)),
  );
}

/**
 * "Lift the boat on Friday": what is to be done on a day is done on the next one, where a tool that is called by the verb takes the day and does not write down what has been. O(tools) for goals that name a
 * weekday.
 */
function setsDay(goal: string, { profiles }: Catalogue): boolean {
  if (!/\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/i.test(goal) || isOver.test(goal)) return false;
  const [verb = ""] = firstWords(goal).filter((word) => !/^(?:please|and|then|also|now)$/.test(word));
  if (verb === "" || recording.test(verb)) return false;
  const isCalledBy = ({ nameWords, resource }: Catalogue["profiles"][number]) =>
    [nameWords[0], ...splitName(resource.description).slice(0, 1)].includes(verb);
  return profiles.some(
    (profile) =>
      profile.effect !== "reads" &&
      isCalledBy(profile) &&
      ![profile.nameWords[0] ?? "", ...splitName(profile.resource.description).slice(0, 1)].some((word) =>
        recording.test(word),
      ) &&
      profile.parameters.some(({ holdsDay }) => holdsDay),
  );
}

/** Days without a year lie ahead when something is to be made or gets another time, and not where it is written down what has happened. */
export function looksAhead(goal: string): boolean {
  const first = firstWords(goal);
  const verb = first.find(isVerb);
  const actions = actionsOfVerb(verb ?? "");
  const isMade = actions.has("create") && !actions.has("read") && !recording.test(verb ?? "");
  return (
    isMade ||
    first.some((word) => moving.test(word) || arranging.test(word)) ||
    ((isToCome.test(goal) ||
      isForetold.test(goal.slice(0, 500)) ||
      isArranged.test(goal) ||
      isOfNow.test(goal.slice(0, 500))) &&
      !isOver.test(goal))
  );
}

/** In small letters: "please move it to" */
const firstWords = (goal: string) =>
  goal
    .trim()
    .split(/\s+/, 4)
    .map((word) => word.toLowerCase().replace(/[^\p{L}]/gu, ""));
