import type { Parameter } from "../../catalogue/parameter.ts";
import { refusals } from "../../language/clauses/refusals.ts";
import { type Action, actionsOfVerb } from "../../language/text/actions.ts";
import type { Token } from "../../language/text/token.ts";

const trial = /\bdry[ _-]?run\b|\bpreview|\bsimulat|\bno[ _-]?op\b|\bvalidate only\b|\bwithout (?:actually )?\w+ing\b/i;
const doing: ReadonlySet<Action> = new Set<Action>(["create", "update", "delete", "send", "run"]);

/** A switch that makes a call show what it would do instead of doing it. */
export const holdsTrial = ({ words, description }: Parameter) => trial.test(`${words.join(" ")} ${description}`);

/** "only show me …", "don't save it", "without sending it": nothing is to be done yet. Linear in the tokens. */
export function asksForTrial(tokens: readonly Token[]): boolean {
  const only = tokens.some(
    ({ lower }, at) =>
      /^(?:only|just)$/.test(lower) && /^(?:show|preview|simulate|print|display)$/.test(tokens[at + 1]?.lower ?? ""),
  );
  const acts = (word: string) => [...actionsOfVerb(word)].some((action) => doing.has(action));
  return only || refusals(tokens).some(({ from, to }) => tokens.slice(from, to).some(({ lower }) => acts(lower)));
}
