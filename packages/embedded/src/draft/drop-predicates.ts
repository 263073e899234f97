import type { Parameter } from "../catalogue/parameter.ts";
import type { Draft } from "./draft.ts";

/** Leaves out of names what people do, as in "which customers live in Kyoto?". O(arguments · words of a request) */
export function dropPredicates(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    for (const [slot, { parameter, filling }] of draft.filled) {
      const value = filling.kind === "value" && filling.origin?.source === "goal" ? filling.value : undefined;
      if (typeof value === "string" && isPredicate(parameter, value, draft)) draft.filled.delete(slot);
    }
  }
}

function isPredicate({ words, required }: Parameter, value: string, { profile, clause }: Draft): boolean {
  if (required || !/^(?:name|title|query)$/.test(words.at(-1) ?? "") || !/^\p{Ll}+$/u.test(value)) return false;
  const at = clause.tokens.findIndex(({ text }) => text === value);
  const [before, after] = [clause.tokens[at - 1], clause.tokens[at + 1]];
  return before?.noun === profile.entity.at(-1) && /^(?:in|at|near|on|from|under)$/.test(after?.lower ?? "");
}
