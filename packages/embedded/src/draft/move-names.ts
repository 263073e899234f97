import type { Parameter } from "../catalogue/parameter.ts";
import { auxiliaries } from "../language/text/lexicon.ts";
import type { Token } from "../language/text/token.ts";
import { type Draft, type Filling, fillValue, key } from "./draft.ts";

/**
 * Gives a name to the argument for names where another one took it: in "which city does Ada Moss live in?" the city is asked for, and in "the mail of supplier Acme" the supplier is called so.
 * O(arguments · words of a request)
 */
export function moveNames(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    const name = draft.profile.parameters.find(
      ({ words, choices }) => words.join(" ") === "name" && choices.length === 0,
    );
    if (draft.profile.effect !== "reads" || name === undefined) continue;
    for (const [slot, { parameter, filling }] of draft.filled) {
      if (
        parameter === name ||
        parameter.required ||
        parameter.isIdentifier ||
        !isOfSomebody(draft, filling, parameter)
      )
        continue;
      const before = draft.filled.get(key(name))?.filling;
      if (before !== undefined && !isAskedFor(before, parameter)) continue;
      draft.filled.delete(slot);
      fillValue(draft, name, filling.value, filling.origin);
    }
  }
}

const isName = /^\p{Lu}[\p{L}'’&.-]*(?: \p{Lu}[\p{L}'’&.-]*)*$/u;

type ValueFilling = Filling & { readonly kind: "value" };

function isOfSomebody({ clause, profile }: Draft, filling: Filling, parameter: Parameter): filling is ValueFilling {
  if (filling.kind !== "value" || typeof filling.value !== "string" || !isName.test(filling.value)) return false;
  const at = clause.tokens.findIndex(({ start }) => start === filling.origin?.start);
  const [before, asked] = [clause.tokens[at - 1], clause.tokens[at - 2]];
  if (before === undefined) return false;
  const isAsked = (token: Token | undefined) => token !== undefined && parameter.stems.includes(token.stem);
  if (before.lower === "of" || auxiliaries.has(before.lower)) return isAsked(asked);
  // "Supplier Acme" is called so; "suppliers Ely" may be there.
  return before.lower === before.noun && before.noun === profile.entity.at(-1);
}

/** The word for the other argument was taken for a name: "City". */
function isAskedFor(filling: Filling, { stems, words }: Parameter): boolean {
  const said = filling.kind === "value" ? String(filling.value).toLowerCase() : "";
  return said === words.join(" ") || (stems.length === 1 && said === stems[0]);
}
