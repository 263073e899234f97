import { nameAffinity } from "../catalogue/affinity.ts";
import { isCalledAfter, isKindOfId } from "../catalogue/kinds-of-ids.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Evidence } from "./evidence.ts";
import type { FitContext } from "./fit-context.ts";

export const isCode = /^(?=.*\d)(?=.*\p{L})[\p{L}\d_-]+$/u;

/** "What happened to report R-77": where some tool takes ids of reports, R-77 narrows them down by nothing else. */
const isIdOfOther = (parameter: Parameter, { text, of }: Evidence): boolean =>
  !parameter.isIdentifier &&
  !parameter.required &&
  of !== undefined &&
  /\d/.test(text) &&
  isKindOfId(parameter, of) &&
  !isCalledAfter(parameter, of);

/** "The visits of A-5": where rows have ids of other things that nothing filters by, A-5 is such a one; and it is never why something is done. */
const isIdOfOwner = (parameter: Parameter, { text, preposition, near }: Evidence, { owned }: FitContext): boolean =>
  preposition === "of" &&
  isCode.test(text) &&
  !parameter.isIdentifier &&
  !parameter.required &&
  nameAffinity(parameter, near) === 0 &&
  (owned || /^(?:reason|notes?|comments?|remarks?|description)$/.test(parameter.words.at(-1) ?? ""));

/** Whether a code is the id of an owner or of another thing, and no value of this parameter. */
export const isIdOfAnotherThing = (parameter: Parameter, evidence: Evidence, context: FitContext): boolean =>
  isIdOfOther(parameter, evidence) || isIdOfOwner(parameter, evidence, context);
