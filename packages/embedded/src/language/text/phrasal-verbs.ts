import { isVerb } from "./actions.ts";
import { conjunctions, prepositions } from "./lexicon.ts";
import { singular } from "./singular.ts";
import { stem } from "./stem.ts";
import type { Token } from "./token.ts";

const particles = /^(?:on|off|in|out|up|down|away|back)$/;
/** Their particle is theirs before a noun too: `turn_off_lamp`. Of others, `comment_on_issue` or `set_up_stage`, the words are looked at one by one. */
const firmly = /^(?:turn|switch|power|log|sign|check|clock)$/;
/** Words between a verb and its particle: "turn all the lamps in the hall off". */
const maxBetween = 8;

/** The words of a name with a verb and its particle as one: `turn_off_lamp` is "turnoff lamp". */
export function joinParticle(words: readonly string[]): readonly string[] {
  const [verb = "", particle = "", ...rest] = words;
  const isOne = isVerb(verb) && particles.test(particle) && (rest.length === 0 || firmly.test(verb));
  return isOne ? [verb + particle, ...rest] : words;
}

const glued = /^(\p{L}{3,12})(?:on|off|in|out|up|down|away|back)$/u;

/** Words of a name that are a verb and its particle in one: `checkout` of `git_checkout`, which is also said as "check out" and "check it out". */
export const gluedVerbs = (words: readonly string[]): readonly string[] =>
  words.filter((word) => isVerb(glued.exec(word)?.[1] ?? ""));

/**
 * The tokens with the phrasal verbs of a catalogue as one word each: "turn off the lamp", "turn the lamp off" are "turnoff the lamp". O(tokens).
 * @param phrasal the verbs as `joinParticle` writes them
 */
export function joinParticles(tokens: readonly Token[], phrasal: ReadonlySet<string>): readonly Token[] {
  if (phrasal.size === 0) return tokens;
  const result: Token[] = [];
  const left = new Set<Token>();
  tokens.forEach((token, at) => {
    if (left.has(token)) return;
    const particle = token.kind === "word" ? particleOf(tokens, at, phrasal) : undefined;
    if (particle === undefined) result.push(token);
    else {
      left.add(particle);
      const lower = phrasal.has(token.stem + particle.lower)
        ? token.stem + particle.lower
        : token.lower + particle.lower;
      result.push({ ...token, lower, stem: stem(lower), noun: singular(lower), capital: false });
    }
  });
  return result;
}

function particleOf(tokens: readonly Token[], at: number, phrasal: ReadonlySet<string>): Token | undefined {
  const own = tokens[at]!;
  // "Setting up", "checked out".
  const lower = isVerb(own.lower) ? own.lower : own.stem;
  for (let next = at + 1; next < tokens.length && next <= at + 1 + maxBetween; next += 1) {
    const token = tokens[next]!;
    if (token.kind === "break" || /^[,.;!?]$/.test(token.text)) return undefined;
    // "Turn the sound down" asks for nothing that `turn_on` and `turn_off` do.
    const isOther = /^(?:up|down)$/.test(token.lower) && phrasal.has(`${lower}on`) && phrasal.has(`${lower}off`);
    if (!isOther && !phrasal.has(lower + token.lower)) continue;
    if (next === at + 1) return token;
    // "turn A on and B off" are two acts, the second of which has no verb of its own.
    return ends(tokens[next + 1]) && !goesOnOtherwise(tokens, next, lower, phrasal) ? token : undefined;
  }
  return undefined;
}

function goesOnOtherwise(tokens: readonly Token[], from: number, verb: string, phrasal: ReadonlySet<string>): boolean {
  const rest = tokens.slice(from + 1, from + 1 + maxBetween);
  const next = rest.findIndex(({ lower, kind }) => kind === "break" || lower === verb || phrasal.has(verb + lower));
  return next >= 0 && phrasal.has(verb + rest[next]!.lower);
}

const ends = (after: Token | undefined) =>
  after === undefined ||
  after.kind === "break" ||
  after.kind === "date" ||
  after.kind === "punctuation" ||
  conjunctions.has(after.lower) ||
  prepositions.has(after.lower);
