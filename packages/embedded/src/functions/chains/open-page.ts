import { describedActs, verbStems } from "../../catalogue/acts-of.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { serverOf } from "../../catalogue/servers.ts";
import { type Draft, fillValue, makeDraft } from "../../draft/draft.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";

/** How likely the page that is named is the one that a call works on. */
const likelihood = 0.8;

/** A call with its words, and the calls that belong to it. */
interface CallOfPage {
  readonly profile: Profile;
  readonly tokens: readonly Token[];
  readonly drafts: readonly Draft[];
}

/**
 * "Take a picture of https://…": before a tool that works on the open page and takes no address, the one tool of its server that goes to an address and needs
 * nothing else opens the page. Another argument that took the address, such as a name, gives it up.
 * @returns the call that opens the page; undefined where none is needed or none is at hand
 */
export function openPage(call: CallOfPage, all: readonly Draft[], catalogue: Catalogue): Draft | undefined {
  const { profile, tokens, drafts } = call;
  const draft = drafts.find((each) => each.profile === profile);
  if (draft === undefined || !worksOnPage(profile) || profile.parameters.some(holdsAddress)) return undefined;
  const link = tokens.find(({ kind, text }) => kind === "literal" && /^https?:\/\//i.test(text));
  if (link === undefined || all.some((each) => takesAddress(each, link.text))) return undefined;
  const openers = catalogue.profiles.filter((each) => each !== profile && opensPages(each, profile));
  const [opener, more] = openers.length > 1 ? openers.filter(isNamedSo) : openers;
  const address = opener?.parameters.find(holdsAddress);
  if (opener === undefined || address === undefined || more !== undefined) return undefined;
  for (const [slot, { filling }] of [...draft.filled])
    if (filling.kind === "value" && [filling.value].flat().includes(link.text)) draft.filled.delete(slot);
  const opening = makeDraft(opener, draft.clause, -1);
  fillValue(opening, address, link.text, { source: "goal", text: link.text, start: link.start, likelihood });
  draft.after.add(opening);
  return opening;
}

const holdsAddress = ({ words, types }: Parameter): boolean =>
  types.has("string") && /^(?:url|uri|href|link|address)$/.test(words.at(-1) ?? "");

const takesAddress = ({ filled }: Draft, text: string): boolean =>
  [...filled.values()].some(
    ({ parameter, filling }) => filling.kind === "value" && filling.value === text && holdsAddress(parameter),
  );

/** Its texts speak of a page or a browser. */
const worksOnPage = ({ about }: Profile): boolean => [...pages].some((word) => about.has(word));
const pages: ReadonlySet<string> = new Set(["page", "browser", "tab"].map(stem));

const going: ReadonlySet<string> = new Set(["navigate", "goto", "visit", "open", "go", "browse", "load"].map(stem));

/** It goes to an address, which is all that it must be given. */
function opensPages(profile: Profile, other: Profile): boolean {
  if (serverOf(profile.resource) !== serverOf(other.resource)) return false;
  const required = profile.parameters.filter((each) => each.required);
  return (
    required.length === 1 &&
    holdsAddress(required[0]!) &&
    [...verbStems(profile), ...describedActs(profile), ...profile.nameWords.map(stem)].some((each) => going.has(each))
  );
}

const isNamedSo = ({ nameWords }: Profile): boolean =>
  nameWords.some((word) => /^(?:navigate|goto|visit|open)$/.test(word));
