import { type Draft, fillValue, key } from "../../draft/draft.ts";
import type { Token } from "../../language/text/token.ts";

/** How likely a code that no noun names is the id of what something is added to. */
const likelihoodOfBareCode = 0.7;

/** "note on C-7: …": where something is made for a thing and a single code is said, it is the id of that thing, and nothing is looked up by it. */
export function fillAddedTo(draft: Draft, tokens: readonly Token[]): void {
  const { profile, filled } = draft;
  const [parameter, more] = profile.parameters.filter((each) => each.required && each.isIdentifier);
  if (parameter === undefined || more !== undefined || parameter.takesList || !profile.actions.has("create")) return;
  const codes = tokens.flatMap((token, at) => (token.kind === "literal" && /\d/.test(token.text) ? [at] : []));
  const [only, second] = codes;
  if (only === undefined || second !== undefined || !/^(?:on|for|to)$/.test(tokens[only - 1]?.lower ?? "")) return;
  const { text, start } = tokens[only]!;
  const filling = filled.get(key(parameter))?.filling;
  if (filling !== undefined && !(filling.kind === "value" && filling.value === text)) return;
  fillValue(draft, parameter, text, { source: "goal", text, start, likelihood: likelihoodOfBareCode });
}
