import { holdsExclusion } from "../catalogue/holds-exclusion.ts";
import { type Parameter, pathText } from "../catalogue/parameter.ts";
import { type Draft, type Filling, fillValue } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** Characters before a value that are looked at. */
const lookback = 80;
const small = "(?:(?:the|a|an|any|all|those|these|that|which|are|is|was|were|for|from|in|of|by|with|already|yet)\\s+)*";
const leavesOut = new RegExp(`\\b(?:except|excluding|other than|apart from|aside from|but not)\\s+${small}$`, "i");
/** "not assigned to X", "that are not X"; "not to X" is what a person gets to hear. */
const denies = new RegExp(`(?:\\bnot|n't)\\s+(?!to\\b)(?:\\p{L}+(?:ed|en|wn|nt)\\s+(?:to\\s+)?)?${small}$`, "iu");

/**
 * No value that the goal wants left out: "all but the closed ones" asks for no closed ones. Of two allowed values the other one is meant; else what
 * is said is reported, unless the parameter is for what is left out.
 */
export function dropExcluded(drafts: readonly Draft[], planning: PlanningState): void {
  for (const draft of drafts) {
    for (const [slot, { parameter, filling }] of draft.filled) {
      if (holdsExclusion(parameter) || !isLeftOut(parameter, filling, planning.text)) continue;
      const other = parameter.choices.find(({ value }) => value !== filling.value);
      if (parameter.choices.length === 2 && other !== undefined) {
        fillValue(draft, parameter, other.value, filling.origin);
        continue;
      }
      draft.filled.delete(slot);
      const text = filling.origin?.text ?? String(filling.value);
      const message = `\`${draft.profile.label}\` has no parameter that leaves out "${text}"; without it \`${pathText(parameter.path)}\` takes everything.`;
      planning.unresolved.push({ reason: "no_parameter", text, message, draft });
    }
  }
}

function isLeftOut(
  parameter: Parameter,
  filling: Filling,
  text: string,
): filling is Filling & { readonly kind: "value" } {
  if (filling.kind !== "value" || filling.origin?.source !== "goal" || filling.origin.start === undefined) return false;
  const { start, text: said = "" } = filling.origin;
  if (typeof filling.value !== "string" || !said.toLowerCase().includes(filling.value.toLowerCase())) return false;
  const before = text.slice(Math.max(0, start - lookback), start);
  const isNarrow = parameter.choices.length > 0 || parameter.isIdentifier;
  return leavesOut.test(before) || (isNarrow && denies.test(before));
}
