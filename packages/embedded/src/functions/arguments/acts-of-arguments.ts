import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, fillValue, isGiven, key, type Origin } from "../../draft/draft.ts";
import { sortsOfVerb } from "../../language/text/act-sorts.ts";
import { isVerb } from "../../language/text/actions.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { isAsking } from "../segmenting/opening.ts";

/**
 * "Remove the label L-7 from mail 5": of `label_ids`, `add_label_ids` and `remove_label_ids`, the value goes to the one that is called by the act before it, and to none
 * that is called by another act. O(arguments² + tokens).
 */
export function followActs(draft: Draft, tokens: readonly Token[]): void {
  for (const { parameter, filling } of [...draft.filled.values()]) {
    if (filling.kind !== "value" || filling.origin?.source !== "goal" || filling.origin.start === undefined) continue;
    const siblings = siblingsOf(parameter, draft);
    if (siblings.length < 2) continue;
    const { start } = filling.origin;
    const verb = tokens.findLast(
      (token, at) => token.start < start && token.kind === "word" && actOf(token.lower) !== "" && isAsking(tokens, at),
    );
    const act = verb === undefined ? "" : actOf(verb.lower);
    const meant =
      siblings.find((each) => actOf(each.words[0]!) === act && each.words.length > nounsOf(each).length) ??
      siblings.find((each) => each.words.length === nounsOf(each).length);
    if (meant !== undefined && meant !== parameter) move(draft, parameter, meant, filling.value, filling.origin);
  }
}

/** Arguments of one form that are called alike but for the act they begin with. */
const siblingsOf = (parameter: Parameter, { profile }: Draft): readonly Parameter[] =>
  profile.parameters.filter(
    (other) =>
      other.path.length === parameter.path.length &&
      other.path.slice(0, -1).join() === parameter.path.slice(0, -1).join() &&
      other.takesList === parameter.takesList &&
      nounsOf(other).join() === nounsOf(parameter).join(),
  );

/** Their words without the act. */
const nounsOf = ({ words }: Parameter): readonly string[] =>
  words.length > 1 && opensName.test(words[0]!) ? words.slice(1) : words;
const opensName = /^(?:add|append|attach|apply|insert|remove|delete|detach|drop)$/;

/** What is added or moved somewhere is in it afterwards, and what is removed is not; "" for other words. */
function actOf(word: string): "add" | "remove" | "" {
  if (!isVerb(word)) return "";
  const sorts = sortsOfVerb(stem(word));
  if (sorts.has("delete")) return "remove";
  return sorts.has("add") || sorts.has("move") || /^(?:apply|assign|tag|label|set)$/.test(word) ? "add" : "";
}

function move(draft: Draft, from: Parameter, to: Parameter, value: unknown, origin: Origin): void {
  if (isGiven(draft, to)) return;
  draft.filled.delete(key(from));
  fillValue(draft, to, value, origin);
}
