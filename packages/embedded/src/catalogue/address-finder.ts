import { calledLikePeople } from "../language/text/lexicon.ts";
import { stem } from "../language/text/stem.ts";
import { sortsOf } from "./acts-of.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Finder, takesName } from "./finder.ts";
import type { OutputField } from "./output-shape.ts";
import type { Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";
import { shapesOf } from "./value-shape.ts";

/** By what a message reaches somebody. */
export type AddressKind = "mail" | "phone";

/** A tool that finds people by their names, and the field that holds their address; undefined where the tool does not say what it gives. */
export interface AddressFinder extends Finder {
  readonly field: OutputField | undefined;
}

const fields: Readonly<Record<AddressKind, ReadonlySet<string>>> = {
  mail: new Set(["email", "mail"].map(stem)),
  phone: new Set(["phone", "mobile", "telephone", "tel"].map(stem)),
};
/** The field that is supposed of a tool that does not say what it gives. */
export const supposedFields: Readonly<Record<AddressKind, string>> = { mail: "email", phone: "phone" };
const written: Readonly<Record<AddressKind, RegExp>> = { mail: /@/, phone: /\d{3}/ };

export const isAddress = (kind: AddressKind, text: string): boolean => written[kind].test(text);

/** Whether an argument is an address, and of what kind: by its name, format or description, or as the receiver of what a tool for mail sends. */
export function addressWanted(parameter: Parameter, { about }: Profile): AddressKind | undefined {
  const name = parameter.words.join(" ");
  if (parameter.choices.length > 0 || parameter.path.length !== 1) return undefined;
  if (/\b(?:names?|ids?|body|subject|template)\b/i.test(name)) return undefined;
  if (shapesOf(parameter).has("mail")) return "mail";
  if (/\b(?:names?|users?|ids?|channels?)\b/i.test(parameter.description)) return undefined;
  if (/\b(?:phone|mobile|telephone)\b/i.test(`${name} ${parameter.description}`)) return "phone";
  const isReceiver = /^(?:to|cc|bcc|recipients?|receivers?|addressees?)$/.test(name);
  return isReceiver && about.has(stem("email")) && !/\bnumbers?\b/i.test(parameter.description) ? "mail" : undefined;
}

/**
 * The tools that find people by a name and give their addresses, or do not say what they give. Linear in the tools and what they give.
 * @param target the tool that wants the address
 */
export function addressFinders({ profiles }: Catalogue, target: Profile, kind: AddressKind): AddressFinder[] {
  const found = profiles.flatMap((profile): AddressFinder[] => {
    const { effect, output, entity, parameters } = profile;
    const sorts = sortsOf(profile);
    if (profile === target || effect === "changes" || !(sorts.has("search") || sorts.has("list"))) return [];
    const parameter = parameters.find(takesName);
    const needs = parameters.some((each) => each.required && each.fallback === undefined && each !== parameter);
    if (parameter === undefined || needs) return [];
    const field = output.fields.find(({ stems }) => stems.some((each) => fields[kind].has(each)));
    const isSupposed = !output.known && calledLikePeople.has(entity.at(-1) ?? "");
    return field !== undefined || isSupposed ? [{ profile, parameter, field }] : [];
  });
  const sure = found.filter(({ field }) => field !== undefined);
  return sure.length > 0 ? sure : found;
}
