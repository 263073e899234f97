import {
  type BehaviorController,
  type Phase1Request,
  type Phase2Request,
  promptCharactersOf,
} from "@planloom/controller";
import type { Resource } from "@planloom/plan";
import { neededIds } from "@planloom/plan/internals";
import { PlannerError, PlannerErrorCode } from "../errors.ts";
import { rankResources } from "./rank-resources.ts";
import { details, shortenResource } from "./shorten-resource.ts";

/** About 100,000 tokens: what the smaller of today's hosted models read. */
export const defaultPromptCharacters = 400_000;

/** What of the resources a request describes. */
export interface ShownResources {
  readonly resources: readonly Resource[];
  /** How many are not described. */
  readonly leftOut: number;
  /** Whether texts and schemas of those described were cut. */
  readonly shortened: boolean;
  /** Whether they are in the order of their relevance. @default false */
  readonly ranked?: boolean;
}

export interface FitOptions<Request> {
  readonly controller: BehaviorController;
  readonly maxPromptCharacters: number;
  readonly resources: readonly Resource[];
  /** What the resources are wanted for, in words; made only where some must be left out. */
  readonly query: () => string;
  /** The request with these resources described. Made several times where not all fit. */
  readonly write: (shown: ShownResources) => Request;
  /** How many attempts came before. @default 0 */
  readonly tries?: number;
}

/**
 * The request within `maxPromptCharacters`, by the controller's own count. Where the controller wants only so many resources described, those
 * that fit the request best are, three times as many after a first attempt, and all after a second. Where not all fits, descriptions and schemas are
 * shortened alike; where that is not enough, the least relevant are left out, and as many stay as fit. A request that fits is as it would be without a bound.
 * Cuts cost O(size of the resources · log of their number).
 * @throws PlannerError PROMPT_TOO_LARGE when the rest is too much, or leaves no room for a single resource
 */
export function fitRequest<Request extends Phase1Request | Phase2Request>(
  options: FitOptions<Request>,
): { readonly request: Request; readonly shown: ShownResources } {
  const { controller, maxPromptCharacters, resources, write } = options;
  const charactersOf = (request: Request) => promptCharactersOf(controller, request);
  const tryWith = (shown: ShownResources) => {
    const request = write(shown);
    return charactersOf(request) <= maxPromptCharacters ? { request, shown } : undefined;
  };
  const chosen = bestOf(options);
  const ranked = chosen !== undefined;
  const described = chosen ?? resources;
  const leftOut = resources.length - described.length;
  const whole = tryWith({ resources: described, leftOut, shortened: false, ranked });
  if (whole !== undefined) return whole;

  const bare = charactersOf(write({ resources: [], leftOut: resources.length, shortened: true }));
  if (bare > maxPromptCharacters || resources.length === 0) throw tooLarge(bare, options);
  let short = described;
  for (const detail of details) {
    short = described.map((resource) => shortenResource(resource, detail));
    const fitted = tryWith({ resources: short, leftOut, shortened: true, ranked });
    if (fitted !== undefined) return fitted;
  }
  // A third attempt describes all, those after the first few in brief, and its answer names many by their ids alone.
  if (ranked && options.tries === 1) return fitRequest({ ...options, tries: 2 });
  const order = ranked ? described.map((_, at) => at) : rankResources(resources, options.query());
  const best = mostThatFit(described.length, maxPromptCharacters, (count) => {
    const kept = order.slice(0, count).sort((a, b) => a - b);
    const shown = {
      resources: kept.map((at) => short[at]!),
      leftOut: resources.length - count,
      shortened: true,
      ranked,
    };
    const request = write(shown);
    return { fitted: { request, shown }, characters: charactersOf(request) };
  });
  if (best === undefined) throw tooLarge(bare, options);
  return best;
}

/** Many resources may take less room than some, but not many times less. */
const step = 1.25;
const hopeless = 8;

/**
 * What `write` makes of the largest number that fits; undefined where one is too many. More may fit where fewer do not: the schema of an answer has a branch for each of
 * some resources, and of many their ids alone. So larger numbers are tried too.
 * @param most too many, as the caller knows
 */
function mostThatFit<Fitted>(
  most: number,
  maxCharacters: number,
  write: (count: number) => { readonly fitted: Fitted; readonly characters: number },
): Fitted | undefined {
  let best: Fitted | undefined;
  const searchBetween = (fits: number, tooMany: number): number => {
    let [kept, above] = [fits, tooMany];
    while (above - kept > 1) {
      const count = Math.floor((kept + above) / 2);
      const { fitted, characters } = write(count);
      if (characters > maxCharacters) above = count;
      else [best, kept] = [fitted, count];
    }
    return kept;
  };
  const next = (count: number) => Math.max(count + 1, Math.ceil(count * step));
  let kept = searchBetween(0, most);
  for (let count = next(kept); count < most; count = next(count)) {
    const { fitted, characters } = write(count);
    if (characters > maxCharacters * hopeless) break;
    if (characters > maxCharacters) continue;
    best = fitted;
    kept = searchBetween(count, Math.min(next(count), most));
    count = kept;
  }
  return best;
}

/** How many times more resources a second attempt describes. */
const moreAfterFailure = 3;

/** The resources that fit the request best, the best first; undefined where all are wanted as they are. */
function bestOf<Request>({ controller, resources, query, tries = 0 }: FitOptions<Request>): Resource[] | undefined {
  const { maxResources = Number.POSITIVE_INFINITY, ranksAbove = maxResources } = controller;
  const most = tries === 0 ? maxResources : tries === 1 ? maxResources * moreAfterFailure : Number.POSITIVE_INFINITY;
  if (resources.length <= Math.min(most, ranksAbove)) return undefined;
  const ranked = rankResources(resources, query()).map((at) => resources[at]!);
  return withGivers(ranked, resources).slice(0, most);
}

/** Of so many resources, the best, those that give them ids come next. */
const needingIds = 8;
/** At most so many are brought forward. */
const maxGivers = 4;

/** What gives the ids that the best resources need shares no word with a goal that names the things themselves. */
function withGivers(ranked: readonly Resource[], resources: readonly Resource[]): Resource[] {
  const best = ranked.slice(0, needingIds);
  const needed = neededIds(resources);
  const ids = best.flatMap((resource) => (needed.get(resource) ?? []).flatMap(({ givers }) => givers.slice(0, 1)));
  const wanted = new Set(ids);
  const givers = ranked.filter(({ kind, id }) => kind === "tool" && wanted.has(id)).slice(0, maxGivers);
  return [...new Set([...best, ...givers, ...ranked])];
}

function tooLarge(characters: number, { maxPromptCharacters, resources }: FitOptions<unknown>): PlannerError {
  const reason = characters > maxPromptCharacters ? "" : ", which leaves no room to describe a single resource";
  return new PlannerError(
    PlannerErrorCode.PROMPT_TOO_LARGE,
    `Without any resource the request already has ${characters} characters${reason}; \`maxPromptCharacters\` is ${maxPromptCharacters}. Shorten the job, notes and context, or raise it if the model can read more.`,
    { details: { characters, maxPromptCharacters, resources: resources.length } },
  );
}

/** What a request says in its structured part: nothing where the text describes all of `resources` whole. */
export function shownField(shown: ShownResources): Pick<Phase1Request, "shown_resources" | "ranked"> {
  if (!shownInPart(shown)) return {};
  return { shown_resources: shown.resources, ...(shown.ranked === true && { ranked: true }) };
}

/** Whether anything of the resources was cut, left out or put in another order. */
export function shownInPart({ leftOut, shortened, ranked = false }: ShownResources): boolean {
  return leftOut > 0 || shortened || ranked;
}

/** @throws PlannerError CONFIG */
export function checkPromptCharacters(maxPromptCharacters: number = defaultPromptCharacters): number {
  if (Number.isSafeInteger(maxPromptCharacters) && maxPromptCharacters >= 1) return maxPromptCharacters;
  throw new PlannerError(
    PlannerErrorCode.CONFIG,
    `Expected \`maxPromptCharacters\` to be an integer of at least 1, got \`${String(maxPromptCharacters)}\` (${typeof maxPromptCharacters}).`,
    { details: { option: "maxPromptCharacters" } },
  );
}
