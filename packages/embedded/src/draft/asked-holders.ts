import type { Catalogue } from "../catalogue/catalogue.ts";
import { isEntity } from "../catalogue/output-shape.ts";
import type { Profile } from "../catalogue/profile.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { type Draft, fillLink, makeDraft } from "./draft.ts";
import { bestLink, minSureLink } from "./link.ts";
import { maxTasks } from "./planning-state.ts";

/**
 * "Who is the agent of listing L-8?": the listing says only which agent it is, and another tool reads an agent by that id. Adds a call of that tool after the one that
 * reads the listing, where the thing before "of" is not a field of the listing. O(drafts · words before an "of" · tools)
 */
export function withAskedHolders(drafts: readonly Draft[], { profiles }: Catalogue): Draft[] {
  return drafts
    .flatMap((draft) => {
      const holder = holderAsked(draft, drafts, profiles);
      return holder === undefined ? [draft] : [draft, holder];
    })
    .slice(0, Math.max(drafts.length, maxTasks));
}

function holderAsked(source: Draft, drafts: readonly Draft[], profiles: readonly Profile[]): Draft | undefined {
  const { profile, clause, support } = source;
  if (support || profile.effect !== "reads" || !profile.output.known || profile.output.many) return undefined;
  const { tokens } = clause;
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "word" || tokens[at + 1]?.lower !== "of" || hasField(token.noun, profile)) continue;
    for (const holder of profiles) {
      if (!isEntity([token.noun], holder.entity) || !isReadByItsId(holder)) continue;
      if (drafts.some((other) => other.profile === holder)) continue;
      const found = makeDraft(holder, clause, -1);
      const link = bestLink(source, found, minSureLink);
      if (link?.parameter.required !== true) continue;
      fillLink(found, link.parameter, link.link);
      return found;
    }
  }
  return undefined;
}

/** The thing itself is read, or has a field that is called so. */
const hasField = (noun: string, { entity, output }: Profile): boolean =>
  entity.includes(noun) ||
  output.fields.some(({ name, stems }) => name === noun || (stems.length === 1 && sameStem(stems[0]!, stem(noun))));

/** It reads one thing and requires nothing but its id. */
function isReadByItsId({ effect, parameters, output }: Profile): boolean {
  const [id, more] = parameters.filter(({ required, fallback }) => required && fallback === undefined);
  return effect === "reads" && !output.many && id?.isIdentifier === true && more === undefined;
}
