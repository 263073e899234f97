import { pathText } from "../catalogue/parameter.ts";
import { isVerb } from "../language/text/actions.ts";
import type { Token } from "../language/text/token.ts";
import { type Draft, key } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** These say that what holds for one thing holds for another one. */
const alike = /^(?:same|both|also|too|all|each|likewise|again|it|its|them|their|there|that)$/;

/**
 * "Log 2 hours on A yesterday and log 3 on B": a request with a verb of its own need not mean the day, or another argument that may be left out, that was said of the change before. It stays open
 * and it is asked. What comes before the verb of the first one ("yesterday log …") holds for both. O(drafts² · arguments)
 */
export function askCarried(drafts: readonly Draft[], planning: PlanningState): void {
  for (const [at, draft] of drafts.entries()) {
    const verb = draft.profile.effect === "changes" ? ownVerb(draft.clause.tokens, planning) : undefined;
    if (verb === undefined || draft.clause.tokens.some(({ lower }) => alike.test(lower))) continue;
    for (const { parameter, filling } of [...draft.filled.values()]) {
      if (parameter.required || filling.kind !== "value" || filling.origin?.source !== "earlier") continue;
      const given = drafts.slice(0, at).flatMap((other) => saidBehindVerb(other, draft, key(parameter), planning));
      const said = given.find(({ value }) => JSON.stringify(value) === JSON.stringify(filling.value));
      if (said === undefined) continue;
      draft.filled.delete(key(parameter));
      const name = pathText(parameter.path);
      const message = `\`${draft.profile.label}\` takes \`${name}\`; the goal says "${said.text}" of another call and leaves open whether it holds for this one too.`;
      planning.unresolved.push({ reason: "missing_argument", text: name, message, draft });
    }
  }
}

/** The first word of the clause of a call, but for what joins it, is a verb that is said for it alone. */
function ownVerb(tokens: readonly Token[], { catalogue }: PlanningState): Token | undefined {
  const first = tokens.find(({ kind, lower }) => kind === "word" && !/^(?:and|then|also|please|now|next)$/.test(lower));
  return first !== undefined && (isVerb(first.lower) || catalogue.verbs.has(first.lower)) ? first : undefined;
}

function saidBehindVerb(other: Draft, draft: Draft, slot: string, planning: PlanningState) {
  const filling = other.profile === draft.profile ? other.filled.get(slot)?.filling : undefined;
  const verb = ownVerb(other.clause.tokens, planning);
  if (filling?.kind !== "value" || filling.origin?.source !== "goal" || verb === undefined) return [];
  const { start = -1, text = String(filling.value) } = filling.origin;
  const isShared = draft.clause.tokens.some((token) => token.start === verb.start);
  return start > verb.start && !isShared ? [{ value: filling.value, text }] : [];
}
