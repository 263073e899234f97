import { sliceOf, type Token } from "../text/token.ts";
import { backReferences, type ConditionSpan, conditionCue, conditionsIn } from "./conditions.ts";
import { findQuestions, type Question } from "./questions.ts";

/** UTF-16 offsets in the goal, `end` after the last. */
interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** A condition that the goal puts on what is to be done, with its place in the goal. */
export interface SaidCondition extends TextPlace {
  /** Its words, or those that it points back to: "is K-12 broken" for "if so". */
  readonly text: string;
  /** Where it is said: its own words, and those of the question that it points back to. */
  readonly places: readonly TextPlace[];
  /** What is to hold, without the word that opens it: a clause ("K-12 is broken") or a question ("is K-12 broken"). */
  readonly says?: string;
  /** What it says is not to hold: "unless", "if not", "otherwise". */
  readonly isNegated: boolean;
  /** It points back: "if so", "otherwise". */
  readonly refersBack: boolean;
}

/**
 * Conditions that a goal puts on what is to be done: "if it rains", "unless the order is late", and what points back to a condition or a
 * question ("is it late? If so, …", "otherwise …"). Not what is to be found out ("check if it rains"). O(length of the text).
 * @param cut the tokens of the text, made only where it has a cue. @param verbs those of the tools
 * @returns in the order of the text, offsets with `end` after the last word
 */
export function findConditions(
  text: string,
  cut: () => readonly Token[],
  verbs?: ReadonlySet<string>,
): SaidCondition[] {
  if (!conditionCue.test(text)) return [];
  const tokens = cut();
  const back = backReferences(tokens, verbs);
  const own = conditionsIn(tokens, verbs).filter(({ from, to }) =>
    back.every((each) => each.to <= from || each.from >= to),
  );
  if (own.length + back.length === 0) return [];
  const asked = findQuestions(tokens, verbs).filter(({ asksWhether, tells }) => asksWhether && tells !== true);
  const found: SaidCondition[] = [];
  for (const span of [...own, ...back].sort((left, right) => left.from - right.from)) {
    const place = placeOf(tokens, span);
    if (span.refersBack === undefined) {
      found.push({ ...place, places: [place], ...ownWords(text, tokens, span), refersBack: false });
      continue;
    }
    const question = asked.findLast(({ to }) => to <= span.from);
    const before = found.findLast(({ refersBack }) => !refersBack);
    const isAsked = question !== undefined && (before === undefined || tokens[question.from]!.start > before.start);
    const antecedent = isAsked ? questionWords(text, tokens, question) : before;
    if (antecedent !== undefined) {
      const { text: words, says, places } = antecedent;
      const isNegated = antecedent.isNegated !== (span.refersBack === "fails");
      const meant = { text: words, ...(says !== undefined && { says }), isNegated };
      found.push({ ...place, places: [...places, place], ...meant, refersBack: true });
    } else if (tokens[span.from]!.lower === "if" || span.refersBack === "holds") {
      // "Otherwise" with nothing before it puts no condition.
      const words = text.slice(place.start, place.end);
      found.push({ ...place, places: [place], text: words, isNegated: false, refersBack: true });
    }
  }
  return found;
}

function ownWords(text: string, tokens: readonly Token[], { from, to, opener }: ConditionSpan) {
  const says = sliceOf(text, tokens[from + opener]!, tokens[to - 1]!).replace(/^that\s+/i, "");
  return {
    text: sliceOf(text, tokens[from]!, tokens[to - 1]!),
    // "Should K-12 be broken" is to hold as "K-12 is broken".
    says: tokens[from]!.lower === "should" ? says.replace(/\bbe\b/i, "is") : says,
    isNegated: tokens[from]!.lower === "unless",
  };
}

function questionWords(text: string, tokens: readonly Token[], question: Question) {
  const { from, to, opener = from } = question;
  return {
    text: sliceOf(text, tokens[from]!, tokens[to - 1]!),
    places: [placeOf(tokens, question)],
    says: sliceOf(text, tokens[opener]!, tokens[to - 1]!),
    isNegated: false,
  };
}

const placeOf = (
  tokens: readonly Token[],
  { from, to }: { readonly from: number; readonly to: number },
): TextPlace => ({
  start: tokens[from]!.start,
  end: tokens[to - 1]!.end,
});
