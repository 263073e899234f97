import { sortsOf } from "../../catalogue/acts-of.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { idAgreement } from "../../catalogue/id-forms.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { isWrittenLike } from "../../catalogue/written-like.ts";
import { type Draft, fillLink, fillValue, makeDraft } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { sameStem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import type { FunctionPlanning } from "../arguments/function-planning.ts";
import { withoutUsed } from "../arguments/without-used.ts";
import { identifiedBy } from "../segmenting/identified.ts";
import { idPath } from "./link-earlier.ts";

/** How likely what a code names is the thing whose other id is wanted. */
const lookUpLikelihood = 0.8;

/**
 * "Delete crate K-7" where a tool deletes by UUID and another gets a crate by its code: the thing is got by the code that is said, and its id is taken. Linear
 * in the tools for each id that is open.
 * @returns the look-ups, which come before the draft
 */
export function findByCode(draft: Draft, tokens: readonly Token[], { catalogue }: FunctionPlanning): Draft[] {
  const found: Draft[] = [];
  for (const parameter of missingArguments(draft)) {
    if (!parameter.isIdentifier || parameter.takesList) continue;
    for (const token of withoutUsed(tokens, draft)) {
      if (token.kind !== "literal" || found.some((each) => isGivenTo(each, token))) continue;
      const getter = getterFor(token.text, parameter, draft.profile, catalogue);
      if (getter === undefined) continue;
      const look = makeDraft(getter.profile, draft.clause, -1, { support: true });
      const { text, start } = token;
      fillValue(look, getter.parameter, text, { source: "goal", text, start, likelihood: lookUpLikelihood });
      fillLink(draft, parameter, { source: look, path: idPath(getter.profile, parameter) }, lookUpLikelihood);
      found.push(look);
      break;
    }
  }
  return found;
}

const isGivenTo = ({ filled }: Draft, { start }: Token) =>
  [...filled.values()].some(({ filling }) => filling.kind === "value" && filling.origin?.start === start);

/** The tool that gets such a thing and needs nothing but a code that is written so. */
function getterFor(
  code: string,
  wanted: Parameter,
  target: Profile,
  catalogue: Catalogue,
): { profile: Profile; parameter: Parameter } | undefined {
  const thing = identifiedBy(wanted, target);
  if (thing === undefined || idAgreement(wanted, code) !== false) return undefined;
  const found = catalogue.profiles.flatMap((profile) => {
    if (profile === target || profile.effect === "changes") return [];
    const [parameter, more] = profile.parameters.filter((each) => each.required && each.fallback === undefined);
    if (parameter === undefined || more !== undefined || parameter.takesList) return [];
    const own = identifiedBy(parameter, profile);
    const gets = ["get", "read", "search"].some((sort) => sortsOf(profile).has(sort as "get"));
    return gets && own !== undefined && sameStem(own, thing) && isWrittenLike(parameter, code)
      ? [{ profile, parameter }]
      : [];
  });
  return found.length === 1 ? found[0] : undefined;
}
