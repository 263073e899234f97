import { calledLikePeople } from "../language/text/lexicon.ts";
import { stem } from "../language/text/stem.ts";
import { sortsOf } from "./acts-of.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Finder, takesName } from "./finder.ts";
import type { OutputField } from "./output-shape.ts";
import type { Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";
import { shapesOf } from "./value-shape.ts";

/** A tool that finds people by their names, and the field that holds their address; undefined where the tool does not say what it gives. */
export interface AddressFinder extends Finder {
  readonly field: OutputField | undefined;
}

const mail = stem("email");

/** Whether an argument is an address of mail: by its name, format or description, or as the receiver of what a tool for mail sends. */
export function wantsMail(parameter: Parameter, { about }: Profile): boolean {
  if (parameter.choices.length > 0 || parameter.path.length !== 1) return false;
  if (shapesOf(parameter).has("mail"))
    return !/\b(?:names?|ids?|body|subject|template)\b/i.test(parameter.words.join(" "));
  const isReceiver = /^(?:to|cc|bcc|recipients?|receivers?|addressees?)$/.test(parameter.words.join(" "));
  return isReceiver && about.has(mail) && !/\b(?:names?|users?|ids?|channels?|numbers?)\b/i.test(parameter.description);
}

/**
 * The tools that find people by a name and give their addresses, or do not say what they give. Linear in the tools and what they give.
 * @param target the tool that wants the address
 */
export function addressFinders({ profiles }: Catalogue, target: Profile): AddressFinder[] {
  const found = profiles.flatMap((profile): AddressFinder[] => {
    const { effect, output, entity, parameters } = profile;
    const sorts = sortsOf(profile);
    if (profile === target || effect === "changes" || !(sorts.has("search") || sorts.has("list"))) return [];
    const parameter = parameters.find(takesName);
    const needs = parameters.some((each) => each.required && each.fallback === undefined && each !== parameter);
    if (parameter === undefined || needs) return [];
    const field = output.fields.find(({ stems }) => stems.includes(mail) || stems.includes("mail"));
    const isSupposed = !output.known && calledLikePeople.has(entity.at(-1) ?? "");
    return field !== undefined || isSupposed ? [{ profile, parameter, field }] : [];
  });
  const sure = found.filter(({ field }) => field !== undefined);
  return sure.length > 0 ? sure : found;
}
