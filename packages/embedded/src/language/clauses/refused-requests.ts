import { isVerb } from "../text/actions.ts";
import { type Token, tokenise } from "../text/token.ts";
import type { TextSpan } from "./courtesies.ts";
import { refusals } from "./refusals.ts";

const denying = /n['’]?t\b|\b(?:not|never|no|nobody|none|avoid|refrain)\b/i;
/** "make sure", "take care" */
const light = /^(?:make|take|do|keep|ensure|let)$/;
const joining = /^(?:but|and|,|;)$/;

/**
 * Requests of their own that are refused beside others: "restart search, don't restart billing on staging". Nothing of them may reach what is asked for. A refusal of
 * what a switch may leave out ("don't save it") is none, nor is one that is all that a goal says. Linear in the text.
 * @param verbs those that tools are called by
 * @param isSwitched whether some tool has a switch that the refusal of a verb may set
 */
export function refusedRequestsIn(
  text: string,
  verbs: ReadonlySet<string>,
  isSwitched: (verb: Token) => boolean,
): TextSpan[] {
  if (!denying.test(text)) return [];
  const tokens = tokenise(text);
  const own = refusals(tokens, verbs).filter(({ from, to, spares }) => {
    const verb = tokens.slice(from, to).find(({ lower }) => verbs.has(lower));
    // "I can't find it" tells.
    return !spares && verb !== undefined && !/^can/.test(tokens[from]!.lower) && !isSwitched(verb);
  });
  if (own.length === 0) return [];
  const isRefused = (at: number) => own.some(({ from, to }) => at >= from && at < to);
  const asks = tokens.some(
    ({ lower }, at) => !isRefused(at) && (verbs.has(lower) || (isVerb(lower) && !light.test(lower))),
  );
  if (!asks) return [];
  return own.map(({ from, end, start }) => {
    const before = tokens[from - 1];
    return { start: before !== undefined && joining.test(before.lower) ? before.start : start, end };
  });
}
