import { conjunctions, determiners, prepositions } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";
import type { SaidRequest } from "./requests.ts";

/** Such a verb needs all of them at once. */
const together = /^(?:compare|contrast|combine|merge|join|connect|link|swap|exchange|mix|is|are|was|were)$/;
/** Words of a verb with its particle. */
const maxWordsOfVerb = 2;

/**
 * Cuts "open the front gate and the back gate to 30 degrees" into one request for each gate: two things of one kind, and a word that tells them apart. Each begins with the verb of
 * the first and ends with the words behind the last. Linear in the tokens.
 */
export function withThingsApart(
  requests: readonly SaidRequest[],
  tokens: readonly Token[],
  text: string,
): SaidRequest[] {
  return requests.flatMap((request) => {
    const words = tokens.filter(({ start, end }) => start >= request.start && end <= request.end);
    const from = words.findIndex(({ lower }) => lower === "the");
    if (from < 1 || from > maxWordsOfVerb || words.slice(0, from).some(({ lower }) => together.test(lower)))
      return [request];
    const { things, to } = thingsFrom(words, from);
    const [first, ...more] = things;
    const rest = words.slice(to);
    const isSaidOfAll = rest.length === 0 || (prepositions.has(rest[0]!.lower) && !rest.some(isJoint));
    if (first === undefined || more.length === 0 || !isSaidOfAll) return [request];
    const tail = rest.length === 0 ? {} : { tail: { start: rest[0]!.start, end: request.end } };
    const lead = text.slice(request.start, words[from]!.start).trim();
    const further = more.map(
      (own): SaidRequest => ({
        ...{ start: own[0]!.start, end: own.at(-1)!.end, lead, opens: false, order: "any", pointsBack: false },
        ...{ goesOn: false, ...tail },
      }),
    );
    return [{ ...request, end: first.at(-1)!.end, ...tail }, ...further];
  });
}

/** "the front gate", "the back gate" and so on, with commas and "and" between them, and where they end; none where one is of another kind or the same. */
function thingsFrom(words: readonly Token[], from: number) {
  const things: (readonly Token[])[] = [];
  let to = from;
  for (let at = from; isThing(words.slice(at, at + 3)); ) {
    const own = words.slice(at, at + 3);
    if (own[2]!.lower !== (things[0] ?? own)[2]!.lower) break;
    things.push(own);
    to = at + 3;
    at = to;
    while (isJoint(words[at])) at += 1;
    if (at === to) break;
  }
  return { things: new Set(things.map((own) => own[1]!.lower)).size === things.length ? things : [], to };
}

const isJoint = (token: Token | undefined): boolean =>
  token !== undefined && (token.text === "," || (conjunctions.has(token.lower) && token.lower !== "or"));

const isThing = ([article, own, noun]: readonly Token[]): boolean =>
  article?.lower === "the" &&
  own?.kind === "word" &&
  !determiners.has(own.lower) &&
  noun?.kind === "word" &&
  noun.lower === noun.noun;
