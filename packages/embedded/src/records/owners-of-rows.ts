import type { Profile } from "../catalogue/profile.ts";
import { accepts } from "../draft/link.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { isOwnId } from "./choose.ts";
import type { Mention } from "./mention.ts";
import type { Role } from "./roles.ts";

/**
 * "List the orders and the customer of each": what belongs to rows is got by the id that they have of it, and not listed. Roles whose noun is followed by "of
 * each" or "of them", and whose resource takes nothing that the rows yield, take the one for such a thing that does.
 * @param before resources that the clause before asked for
 */
export function withOwnersOfRows(roles: readonly Role[], clause: Clause, before: readonly Profile[]): readonly Role[] {
  const changed = new Map<Role, Role>();
  for (const [at, role] of roles.entries()) {
    const feeding = [...roles.slice(0, at).map(({ profile }) => profile), ...before];
    if (!role.target || !isOfThem(role.mention, clause) || feeding.some((each) => accepts(role.profile, each)))
      continue;
    const taker = role.mention.candidates.find(
      ({ profile }) =>
        profile.effect === role.profile.effect &&
        profile.parameters.some((parameter) => parameter.required && isOwnId(parameter, profile)) &&
        feeding.some((each) => accepts(profile, each)),
    );
    if (taker !== undefined) changed.set(role, { ...role, profile: taker.profile });
  }
  if (changed.size === 0) return roles;
  return roles.map((role) => {
    const { of, ...own } = changed.get(role) ?? role;
    return of === undefined ? own : { ...own, of: changed.get(of) ?? of };
  });
}

/** The noun is followed by "of each", "of them" or "of each of these". */
function isOfThem({ phrase, to }: Mention, { phrases, tokens }: Clause): boolean {
  const last = phrases[phrase]?.words[to - 1];
  const at = last === undefined ? -1 : tokens.indexOf(last);
  if (at < 0 || tokens[at + 1]?.lower !== "of") return false;
  const [first, ...next] = tokens.slice(at + 2, at + 5).map(({ lower }) => lower);
  if (/^(?:them|these|those|it)$/.test(first ?? "")) return true;
  return /^(?:each|every|all|both)$/.test(first ?? "") && /^(?:one|of|them|[.,;!?])?$/.test(next[0] ?? "");
}
