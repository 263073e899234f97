import { holdsCode } from "./holds-code.ts";
import type { Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";

/** Keywords that statements which change something begin with. */
const changing = /^(?:INSERT|REPLACE|MERGE|UPDATE|DELETE|TRUNCATE|CREATE|ALTER|DROP)$/;
const keywords =
  /\b(?:SELECT|INSERT|REPLACE|MERGE|UPDATE|DELETE|TRUNCATE|CREATE(?= TABLE| INDEX| VIEW)|ALTER|DROP|EXPLAIN|PRAGMA|SHOW|WITH|MATCH)\b/g;
const readOnly = /\bread[- ]?only\b/i;

/** A parameter for statements, by itself or by what its resource says. */
export const holdsStatement = (parameter: Parameter, { description, id }: Profile["resource"]): boolean =>
  holdsCode(parameter) ||
  (parameter.types.has("string") &&
    (isOfLanguage.test(parameter.name) ||
      (/^(?:query|statement|code)$/i.test(parameter.name) && isOfLanguage.test(`${description} ${id}`))));
const isOfLanguage = /(?:^|[^a-z])(?:sql|cypher)(?:$|[^a-z])/i;

/**
 * Whether a resource must be given statements such as one with this keyword: one that only reads takes none that changes something, and one whose
 * description names some keywords takes no others. O(parameters + description).
 */
export function takesStatement({ resource, parameters, effect }: Profile, keyword: string): boolean {
  // Some servers require nothing in their schemas.
  const isLoose = parameters.every(({ required }) => !required);
  const takers = parameters.filter((each) => (each.required || isLoose) && holdsStatement(each, resource));
  if (takers.length === 0) return false;
  const texts = [resource.description, ...takers.map(({ description }) => description)].join(" ");
  if (changing.test(keyword) && (resource.read_only === true || readOnly.test(texts))) return false;
  const named = new Set(texts.match(keywords) ?? []);
  return named.size === 0 ? effect !== "reads" || !changing.test(keyword) : named.has(keyword);
}
