import type { Resource } from "@planloom/plan";

/** "Notion | Retrieve a page": whose the tool is. */
const owner = /^[\p{L}\d][\p{L}\d .-]{0,30} \| (?=\S)/u;
/** What a converter of OpenAPI documents writes below: the codes of answers that are errors. */
const errors = /\n[ \t]{0,40}(?:Error )?Responses:[ \t]{0,40}\n[ \t]{0,40}(?:-[ \t]{0,9})?\d{3}\b[\s\S]*$/i;

/** The resource without what converters of OpenAPI documents write around its description, none of which says what it does. Linear in the description. */
export function withoutGeneratedParts(resource: Resource): Resource {
  const { description } = resource;
  const own = description.replace(errors, "").replace(owner, "").trim();
  return own === "" || own === description ? resource : { ...resource, description: own };
}

/** `API-post-search`: behind "api" a method of HTTP that says how the tool is called and not what it does. */
export const isMethodInName = (before: readonly string[], first: string | undefined): boolean =>
  before[0] === "api" && /^(?:post|put|patch)$/.test(first ?? "");
