import { nameAffinity } from "../catalogue/affinity.ts";
import { isOfItsForm } from "../catalogue/allows.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { isTimeOfDay } from "../catalogue/fit-date.ts";
import { isForeignId } from "../catalogue/id-forms.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { takesIds } from "../catalogue/takes-ids.ts";
import { type Draft, type Filling, fillValue, isFilled } from "../draft/draft.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import type { Clock } from "../language/temporal/calendar.ts";
import { isContent } from "../language/text/content-words.ts";
import { emptyNouns, nameWords, placePrepositions } from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { nounsOfAll } from "../language/text/says-all.ts";
import { singular } from "../language/text/singular.ts";
import { stem } from "../language/text/stem.ts";
import type { Evidence } from "./evidence.ts";
import { fit, minFitScore } from "./fit.ts";
import type { Fit, FitContext } from "./fit-context.ts";
import { isFreeText, isTopic } from "./fit-text.ts";
import { directionFit } from "./text-scores.ts";

/** What was made of the evidence of a clause. */
export interface Assignment {
  /** Pieces of evidence that became arguments, each with the words used; `all` for the whole piece. */
  readonly used: ReadonlyMap<Evidence, ReadonlySet<number> | "all">;
  /** Arguments that are ids of something the evidence names: another resource must find them. */
  readonly lookups: readonly Lookup[];
}

export interface Lookup {
  readonly draft: Draft;
  readonly parameter: Parameter;
  readonly evidence: Evidence;
  readonly finder: Profile;
  readonly finderParameter: Parameter;
  readonly value: unknown;
}

interface EvidenceFit {
  readonly score: number;
  readonly draft: Draft;
  readonly parameter: Parameter;
  readonly evidence: Evidence;
  readonly fit: Fit;
  readonly lookup?: { readonly finder: Profile; readonly parameter: Parameter; readonly value: unknown };
}

/** From this score on a value is taken though it is in a list of which another parameter took the rest. */
const minScoreInOthersList = 3;
/** From this score on what is left over goes to the one parameter that could hold it. */
const minLastResortScore = 0.5;
/** What it costs that evidence is with another draft; beyond `maxDistance` a draft is not considered. */
const distances = { sharedAfter: 0.1, otherNoun: 1.2, perDraft: 0.05, maxOfDrafts: 0.5, adjectiveOfOther: 5 } as const;
const maxDistance = 4;
/** Scores of finding by name what an argument wants the id of. */
const lookupScores = {
  called: 1,
  notCalled: -1,
  calledBonus: 1.5,
  severalAtPlace: 0.2,
  required: 0.5,
  least: 2,
} as const;
/** A lookup may score this much less than what is minFitScore, since scores are sums of fractions. */
const lookupTie = 0.01;
/** Resources that are considered for finding an id. */
const maxFinders = 6;

/** Drafts of one clause, and which of them is nearest to each phrase. */
export interface Scope {
  readonly drafts: readonly Draft[];
  readonly clause: Clause;
  /** The draft a piece of evidence belongs to by its place. */
  owner(evidence: Evidence): Draft | undefined;
  /** Drafts named side by side share what is said of both. */
  together(left: Draft, right: Draft): boolean;
}

/**
 * Gives every piece of evidence to the parameter it suits best, best fits first; ties go to the earlier draft,
 * parameter and evidence. O(drafts x parameters x evidence) of one clause.
 */
export function assign(scope: Scope, evidence: readonly Evidence[], catalogue: Catalogue, clock: Clock): Assignment {
  const candidates = scope.drafts.flatMap((draft) => candidatesOf(draft, scope, evidence, catalogue, clock));
  candidates.sort((left, right) => right.score - left.score);
  const used = new Map<Evidence, Set<number> | "all">();
  const takers = new Map<Evidence, Draft[]>();
  const lookups: Lookup[] = [];
  const taken = new Set<string>();
  const lists = new Set<Evidence>();
  const take = (candidate: EvidenceFit) => {
    const { draft, parameter, evidence: piece, fit: found, lookup } = candidate;
    if (lookup === undefined) {
      const start = piece.tokens[0]?.start;
      fillValue(draft, parameter, found.value, {
        source: "goal",
        text: piece.text,
        ...(start !== undefined && { start }),
      });
    } else {
      const { finder, parameter: finderParameter, value } = lookup;
      lookups.push({ draft, parameter, evidence: piece, finder, finderParameter, value });
    }
    taken.add(slot(draft, parameter));
    if (parameter.takesList && !parameter.takesOne) lists.add(piece);
    takers.set(piece, [...(takers.get(piece) ?? []), draft]);
    mark(used, piece, found);
  };
  for (const candidate of candidates) {
    if (candidate.score < minFitScore) break;
    if (taken.has(slot(candidate.draft, candidate.parameter)) || !isFree(candidate, used, takers, scope)) continue;
    // The rest of a list stays with it: "A, B and C".
    if (candidate.score < minScoreInOthersList && isCoordinated(candidate.evidence, scope, evidence, lists)) continue;
    take(candidate);
  }
  // What is left goes to the one free parameter that could hold it.
  for (const candidate of candidates) {
    const { draft, parameter, evidence: piece } = candidate;
    if (
      candidate.score < minLastResortScore ||
      isCoordinated(piece, scope, evidence, used) ||
      used.has(piece) ||
      taken.has(slot(draft, parameter))
    )
      continue;
    if (candidate.lookup === undefined && isLastResort(candidate, candidates, taken)) take(candidate);
  }
  const only = onlyValueLeft(scope, evidence, used, taken, catalogue);
  if (only !== undefined) take(only);
  return { used, lookups };
}

/**
 * "The grades of all students in 8c", "refer P-9 to cardiology": what is left behind a preposition is the one text that a call lacks, where it is a value
 * or words that no resource knows, and nothing else is left.
 */
function onlyValueLeft(
  { drafts }: Scope,
  evidence: readonly Evidence[],
  used: { has(piece: Evidence): boolean },
  taken: ReadonlySet<string>,
  { knows }: Catalogue,
): EvidenceFit | undefined {
  const [piece, ...pieces] = evidence.filter((each) => !used.has(each));
  if (piece === undefined || pieces.length > 0 || piece.preposition === "" || piece.beforeNoun || piece.negated)
    return undefined;
  const isGluedCode = piece.kind === "number" && isCode.test(piece.text);
  if (piece.kind === "date" || (piece.kind === "number" && !isGluedCode)) return undefined;
  if (piece.kind === "words" && piece.tokens.some(({ lower, stem: own }) => !isContent(lower) || knows(own)))
    return undefined;
  const open = drafts.flatMap((draft) =>
    draft.profile.parameters.flatMap((parameter) =>
      parameter.required &&
      parameter.fallback === undefined &&
      !isFilled(draft, parameter) &&
      !taken.has(slot(draft, parameter))
        ? [{ draft, parameter }]
        : [],
    ),
  );
  const [slotLeft, ...slots] = open.filter(({ parameter }) => !parameter.isIdentifier);
  if (slotLeft === undefined || slots.length > 0) return undefined;
  const { draft, parameter } = slotLeft;
  if (draft.profile.resource.kind !== "tool" || !isFreeText(parameter) || !isOfItsForm(parameter, piece.text))
    return undefined;
  if (isForeignId(parameter, piece.text, draft.profile.effect)) return undefined;
  const value = parameter.takesOne ? piece.text : [piece.text];
  return { score: minLastResortScore, draft, parameter, evidence: piece, fit: { score: minLastResortScore, value } };
}

/** Digits and a letter: "8c". */
const isCode = /^\d{1,4}\p{L}$/u;

const slot = (draft: Draft, parameter: Parameter) =>
  `${draft.profile.position} ${draft.phrase} ${parameter.path.join("\u0000")}`;

function candidatesOf(
  draft: Draft,
  scope: Scope,
  evidence: readonly Evidence[],
  catalogue: Catalogue,
  clock: Clock,
): EvidenceFit[] {
  const context = contextOf(draft.profile, scope.clause, catalogue, clock);
  const result: EvidenceFit[] = [];
  const own = new Set([...draft.profile.nameWords.map(stem), scope.clause.verbStem]);
  for (const piece of evidence) {
    const distance = distanceOf(draft, piece, scope);
    if (distance > maxDistance) continue;
    // Words that name the resource itself tell its parameters apart no more.
    const seen = { ...piece, near: new Set([...piece.near].filter((each) => !own.has(each) && isContent(each))) };
    // "with the subject X", "about X": says whose value it is.
    const named = draft.profile.parameters.filter((each) => nameAffinity(each, seen.near) === 1 || isTopic(each, seen));
    for (const parameter of draft.profile.parameters) {
      if (isFilled(draft, parameter)) continue;
      const found = fit(parameter, seen, context);
      if (found !== undefined)
        result.push({ score: found.score - distance, draft, parameter, evidence: piece, fit: found });
      if (named.some((each) => each !== parameter)) continue;
      const lookup = lookupFor(draft, parameter, piece, scope.clause, catalogue, clock);
      if (lookup !== undefined) result.push({ ...lookup, score: lookup.score - distance });
    }
  }
  return result;
}

/** What evidence may be measured against for a resource. */
export function contextOf(profile: Profile, clause: Clause, catalogue: Catalogue, clock: Clock): FitContext {
  return {
    knows: catalogue.knows,
    clock,
    phrases: clause.phrases,
    tokens: clause.tokens,
    allOf: nounsOfAll(clause.tokens),
    parameters: profile.parameters,
    reads: profile.actions.has("read") || profile.actions.size === 0,
    entity: profile.entity,
    owned: hasOtherIds(profile),
    receiver: receiverOf(profile),
  };
}

/** Rows name their owners by ids that the resource does not filter by. */
const hasOtherIds = ({ output, parameters, entity }: Profile): boolean =>
  output.many &&
  output.fields.some(
    ({ isIdentifier, entity: named }) =>
      isIdentifier &&
      named.length > 0 &&
      !named.every((noun) => entity.includes(noun)) &&
      !parameters.some((each) => each.entity.at(-1) === named.at(-1)),
  );

const receivers = new WeakMap<Profile, string | undefined>();

/** The noun behind the first "to" or "into" of the description. */
function receiverOf(profile: Profile): string | undefined {
  if (!receivers.has(profile)) {
    const [, noun] =
      /^[^.\n]{0,120}?\b(?:to|into) (?:(?:an?|the|another) )?(\p{Ll}+)/u.exec(profile.resource.description) ?? [];
    receivers.set(profile, noun === undefined ? undefined : singular(noun));
  }
  return receivers.get(profile);
}

/** An adjective belongs to its noun; what follows may belong to a noun further off. */
function distanceOf(draft: Draft, evidence: Evidence, scope: Scope): number {
  const owner = scope.owner(evidence);
  if (owner === undefined || owner === draft) return 0;
  const shared = sharesWith(owner, draft, evidence, scope);
  if ((evidence.beforeNoun || evidence.afterNoun) && owner.phrase === evidence.phrase)
    return evidence.kind === "words" || !shared ? distances.adjectiveOfOther : distances.otherNoun;
  const steps = Math.abs(scope.drafts.indexOf(draft) - scope.drafts.indexOf(owner));
  return shared
    ? distances.sharedAfter
    : distances.otherNoun + Math.min(distances.maxOfDrafts, steps * distances.perDraft);
}

/** What follows the last of several nouns is said of all: "A and B from last week"; "last week's A and B" too. */
function sharesWith(left: Draft, right: Draft, evidence: Evidence, scope: Scope): boolean {
  if (!scope.together(left, right)) return false;
  const leads = evidence.kind === "date" && /[’']s?$/.test(evidence.tokens[0]?.text ?? "");
  return leads || Math.max(left.phrase, right.phrase) <= evidence.phrase;
}

/** A name for an id: some resource finds what is called or lies there, and gives its id. */
function lookupFor(
  draft: Draft,
  parameter: Parameter,
  evidence: Evidence,
  clause: Clause,
  catalogue: Catalogue,
  clock: Clock,
): EvidenceFit | undefined {
  const named =
    evidence.kind === "name" ||
    evidence.kind === "quoted" ||
    (evidence.kind === "words" && evidence.preposition !== "" && !evidence.beforeNoun);
  // What a thing is about is not whose it is.
  if (evidence.kind === "quoted" && /^(?:about|regarding|concerning|saying)$/.test(evidence.preposition))
    return undefined;
  if (!named || parameter.entity.length === 0 || !takesIds(parameter)) return undefined;
  let best: EvidenceFit | undefined;
  for (const finder of catalogue.producers(parameter.entity).slice(0, maxFinders)) {
    if (finder === draft.profile || finder.actions.size > 0 === !finder.actions.has("read")) continue;
    if (finder.parameters.some((each) => each.required && each.isIdentifier)) continue;
    const context = contextOf(finder, clause, catalogue, clock);
    for (const each of finder.parameters) {
      if (each.isIdentifier || each.choices.length > 0 || (evidence.kind === "words" && !each.isPlace)) continue;
      const found = fit(each, { ...evidence, near: new Set() }, context);
      if (found === undefined) continue;
      const called =
        !each.isPlace && each.words.some((word) => nameWords.has(word)) && !placePrepositions.has(evidence.preposition);
      if (found.score + (called ? lookupScores.calledBonus : 0) < lookupScores.least) continue;
      const several = each.isPlace && parameter.takesList && finder.output.many ? lookupScores.severalAtPlace : 0;
      const base = found.score + (called ? lookupScores.called : lookupScores.notCalled) + several;
      const score = base + directionFit(parameter, evidence) + (parameter.required ? lookupScores.required : 0);
      if (score > (best?.score ?? minFitScore - lookupTie)) {
        best = {
          score,
          draft,
          parameter,
          evidence,
          fit: { score, value: undefined },
          lookup: { finder, parameter: each, value: found.value },
        };
      }
    }
  }
  return best;
}

function isFree(
  candidate: EvidenceFit,
  used: ReadonlyMap<Evidence, ReadonlySet<number> | "all">,
  takers: ReadonlyMap<Evidence, readonly Draft[]>,
  scope: Scope,
): boolean {
  const { evidence, draft, fit: found, parameter } = candidate;
  const before = used.get(evidence);
  if (before === undefined) return true;
  const by = takers.get(evidence) ?? [];
  if (!by.includes(draft)) return by.every((other) => sharesWith(other, draft, evidence, scope));
  if (evidence.kind === "date") return canShareDay(draft, parameter, evidence);
  return found.used !== undefined && before !== "all" && found.used.every((at) => !before.has(at));
}

/** Both ends of a range, or a day and a time, come from one date; a resource that changes something gets a single day once. */
function canShareDay(draft: Draft, parameter: Parameter, evidence: Evidence): boolean {
  const { date } = evidence;
  if (date === undefined) return false;
  // The day goes to one parameter, and the time of day to another.
  if (!parameter.holdsDay && date.time !== undefined && isTimeOfDay(parameter)) return true;
  if (parameter.side === undefined) return false;
  // "begun before May" ends one range, that of the beginnings, and not the one of the changes too.
  const start = evidence.tokens[0]?.start;
  const isEnded = ({ parameter: other, filling }: { readonly parameter: Parameter; readonly filling: Filling }) =>
    other.side === parameter.side && filling.kind === "value" && filling.origin?.start === start;
  if ([...draft.filled.values()].some(isEnded)) return false;
  if (draft.profile.actions.has("read") || draft.profile.actions.size === 0) return true;
  return date.endTime !== undefined || JSON.stringify(date.from) !== JSON.stringify(date.to);
}

/** "in A and B": B is another value for what A filled, not something for another parameter. */
function isCoordinated(
  piece: Evidence,
  scope: Scope,
  evidence: readonly Evidence[],
  used: { has(piece: Evidence): boolean },
): boolean {
  for (let at = piece.phrase; at > 0 && scope.clause.phrases[at]?.joined === true; at -= 1) {
    if (evidence.some((other) => other.phrase === at - 1 && other.kind === piece.kind && used.has(other))) return true;
  }
  return false;
}

function isLastResort(candidate: EvidenceFit, candidates: readonly EvidenceFit[], taken: ReadonlySet<string>): boolean {
  const { draft, evidence, parameter } = candidate;
  if (evidence.kind === "words" ? !parameter.required : evidence.kind === "date" || evidence.kind === "number")
    return false;
  if (evidence.kind === "words" && (evidence.beforeNoun || !couldBeValue(evidence, parameter, draft.profile)))
    return false;
  const open = candidates.filter(
    (other) =>
      other.evidence === evidence &&
      other.draft === draft &&
      other.score >= minLastResortScore &&
      !taken.has(slot(draft, other.parameter)),
  );
  return parameter.required || open.every((other) => other.parameter === parameter);
}

/** No lone participle, no word that only repeats what the parameter is called. */
function couldBeValue(evidence: Evidence, parameter: Parameter, profile: Profile): boolean {
  if (/^(?:email|uri|url|uuid|date|time)/.test(parameter.format)) return false;
  const names = (token: { stem: string }) => profile.parameters.some((each) => each.stems.includes(token.stem));
  const contentTokens = evidence.tokens.filter((token) => isContent(token.lower) && !emptyNouns.has(token.lower));
  if (contentTokens.every((token) => isParticiple(token) || token.lower.endsWith("ly") || names(token))) return false;
  return contentTokens.length > 0;
}

function mark(used: Map<Evidence, Set<number> | "all">, evidence: Evidence, found: Fit): void {
  if (found.used === undefined) {
    used.set(evidence, "all");
    return;
  }
  const before = used.get(evidence);
  if (before === "all") return;
  used.set(evidence, new Set([...(before ?? []), ...found.used]));
}
