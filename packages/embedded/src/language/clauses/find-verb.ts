import { isVerb } from "../text/actions.ts";
import { auxiliaries, conjunctions, fillers, prepositions, pronouns, relatives } from "../text/lexicon.ts";
import type { Token } from "../text/token.ts";
import { namesByState, opensClause, type Vocabulary } from "./clauses.ts";

/** Skips "please", "can you", "I would like to"; finds the verb and the word of a question. */
export function findVerb(tokens: readonly Token[], vocabulary: Vocabulary) {
  let question = "";
  let scopes = false;
  for (let at = 0; at < tokens.length && at < 14; at += 1) {
    const token = tokens[at]!;
    if (token.kind === "punctuation") {
      if (token.text === "," || token.text === ":" || token.text === "(") continue;
      break;
    }
    if (token.kind !== "word") break;
    if (relatives.has(token.lower) && question === "" && at < 4 && token.lower !== "that") {
      question = token.lower;
      if (token.lower === "how" && /^(?:many|much)$/.test(tokens[at + 1]?.lower ?? "")) {
        return { verb: undefined, next: at + 2, question: "how many", scopes };
      }
      continue;
    }
    // "Do we have tyres in stock?"
    if (token.lower === "do" && /^(?:we|i|you|they)$/.test(tokens[at + 1]?.lower ?? "")) continue;
    const gerund = gerundOf(token.lower, vocabulary);
    const verb = isVerb(token.lower) || vocabulary.verbs.has(token.lower) || gerund !== undefined;
    if (
      verb &&
      !namesByState(tokens, at, vocabulary) &&
      question !== "which" &&
      (at === 0 || opensClause(tokens, at, vocabulary) || gerund !== undefined || tokens.length - at <= 2)
    ) {
      const noun = vocabulary.nouns.has(token.noun) && !opensClause(tokens, at, vocabulary);
      if (!noun && (tokens[at + 1] !== undefined || !vocabulary.nouns.has(token.noun))) {
        return { verb: { ...token, lower: gerund ?? token.lower }, next: at + 1, question, scopes };
      }
    }
    const skipped =
      fillers.has(token.lower) ||
      pronouns.has(token.lower) ||
      auxiliaries.has(token.lower) ||
      token.lower === "to" ||
      token.lower === "then" ||
      token.lower === "after" ||
      conjunctions.has(token.lower);
    if (skipped) continue;
    if (at === 0 && prepositions.has(token.lower)) scopes = true;
    return { verb: undefined, next: at, question, scopes };
  }
  const first = tokens.findIndex((token) => token.kind !== "punctuation");
  const plain = tokens.every((token, at) => at > 14 || fillers.has(token.lower) || pronouns.has(token.lower));
  return { verb: undefined, next: plain ? Math.max(0, first) : firstContent(tokens), question, scopes };
}

function firstContent(tokens: readonly Token[]): number {
  const at = tokens.findIndex(
    (token) =>
      token.kind !== "punctuation" &&
      !fillers.has(token.lower) &&
      !pronouns.has(token.lower) &&
      !auxiliaries.has(token.lower) &&
      !relatives.has(token.lower) &&
      token.lower !== "to",
  );
  return Math.max(at, 0);
}

/** "getting" -> "get", "listing" -> "list", when that is a verb. */
function gerundOf(lower: string, vocabulary: Vocabulary): string | undefined {
  if (!lower.endsWith("ing") || lower.length < 6) return undefined;
  const base = lower.slice(0, -3);
  const candidates = [base, `${base}e`, base.at(-1) === base.at(-2) ? base.slice(0, -1) : base];
  return candidates.find((word) => isVerb(word) || vocabulary.verbs.has(word));
}
