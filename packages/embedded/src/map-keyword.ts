import type { Resource } from "@planloom/plan";
import { readCatalogue } from "./catalogue/catalogue.ts";
import { type PathStep, setArgument } from "./catalogue/parameter.ts";
import type { Profile } from "./catalogue/profile.ts";
import { checkOptions } from "./check-options.ts";
import { splitClauses } from "./language/clauses/clauses.ts";
import { type Clause, readClause } from "./language/clauses/phrases.ts";
import { type ClockOptions, clockChecks, readClock } from "./language/temporal/calendar.ts";
import { findDates } from "./language/temporal/find-dates.ts";
import { tokenise } from "./language/text/token.ts";
import type { Evidence } from "./records/evidence.ts";
import { fit, minFitScore } from "./records/fit.ts";
import { findMentions } from "./records/mention.ts";

/** What one word or short phrase of a goal means: a resource, or arguments. Empty: nothing. */
export interface KeywordMeaning {
  /** Id of the resource. */
  readonly tool?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * The meaning of a keyword among these resources: the resource whose noun it is, else the argument of the first
 * resource that it suits best ("today" is two arguments).
 * @throws EmbeddedError OPTION
 */
export function mapKeyword(word: string, resources: readonly Resource[], options: ClockOptions = {}): KeywordMeaning {
  checkOptions("`mapKeyword`", options, clockChecks);
  const clock = readClock(options);
  const catalogue = readCatalogue(resources);
  const text = word.slice(0, 200).trim();
  const dates = findDates(text, clock);
  const [raw] = splitClauses(tokenise(text, dates), catalogue);
  if (raw === undefined) return {};
  const clause = { ...readClause({ ...raw, order: "also" }, catalogue) };
  const [mention] = findMentions(clause, catalogue);
  const whole = mention?.candidates.filter(({ coverage }) => coverage >= 1) ?? [];
  const reading = whole.find(({ profile }) => profile.actions.has("read")) ?? whole[0];
  if (reading !== undefined) return { tool: reading.profile.resource.id };

  let best: { score: number; params: Record<string, unknown> } | undefined;
  for (const profile of catalogue.profiles) {
    const found = argumentsFor(profile, clause, text, dates, clock);
    if (found !== undefined && found.score > (best?.score ?? 0)) best = found;
  }
  return best === undefined ? {} : { params: best.params };
}

function argumentsFor(
  profile: Profile,
  clause: Clause,
  text: string,
  dates: ReturnType<typeof findDates>,
  clock: ReturnType<typeof readClock>,
): { score: number; params: Record<string, unknown> } | undefined {
  const context = {
    clock,
    phrases: clause.phrases,
    tokens: clause.tokens,
    parameters: profile.parameters,
    allOf: new Set<string>(),
    reads: true,
    entity: profile.entity,
    owned: false,
    knows: () => false,
  };
  const params: Record<string, unknown> = {};
  let top: { score: number; path: readonly PathStep[]; value: unknown } | undefined;
  let days = 0;
  for (const piece of pieces(clause, text, dates)) {
    for (const parameter of profile.parameters) {
      const found = fit(parameter, piece, context);
      if (found === undefined || found.score < minFitScore) continue;
      if (piece.kind === "date") {
        setArgument(params, parameter.path, found.value);
        days = Math.max(days, found.score);
      } else if (top === undefined || found.score > top.score) top = { ...found, path: parameter.path };
    }
  }
  if (top !== undefined) setArgument(params, top.path, top.value);
  const score = Math.max(days, top?.score ?? 0);
  return score === 0 ? undefined : { score, params };
}

/** The keyword as evidence. A name standing alone is most often a place. */
function pieces(clause: Clause, text: string, dates: ReturnType<typeof findDates>): Evidence[] {
  const common = { phrase: 0, negated: false, near: new Set<string>(), beforeNoun: true, afterNoun: false };
  const days = dates.map(
    (date): Evidence => ({ ...common, kind: "date", text: date.text, tokens: [], preposition: "", date }),
  );
  const tokens = clause.tokens.filter((token) => token.kind !== "date" && token.kind !== "punctuation");
  const [first] = tokens;
  if (first === undefined) return days;
  const name = first.kind === "word" && first.capital;
  const kind = name ? "name" : first.kind === "quoted" ? "quoted" : first.kind === "literal" ? "literal" : "words";
  const bare = first.kind === "quoted" ? String(first.value) : text.trim();
  return [...days, { ...common, kind, text: bare, tokens, preposition: name ? "in" : "", beforeNoun: !name }];
}
