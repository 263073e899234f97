import { type Parameter, pathText } from "../catalogue/parameter.ts";
import { type Draft, type Filling, key, sourcesOf } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** Characters between two values that are alternatives of one another, at most. */
const maxBetween = 30;

interface SaidValue {
  readonly text: string;
  readonly start: number;
}

/**
 * "cancel A or B": the goal leaves open which of them is meant, so a change is planned once without that argument, and it is asked for. What only reads reads both.
 * O(drafts² · arguments)
 */
export function askWhich(drafts: Draft[], planning: PlanningState): void {
  for (const draft of [...drafts]) {
    if (draft.profile.effect === "reads" || !drafts.includes(draft)) continue;
    for (const { parameter, filling } of [...draft.filled.values()]) {
      const own = saidIn(filling);
      if (own === undefined) continue;
      const others = drafts.flatMap((other) => {
        const said = other === draft ? undefined : alternative(draft, other, parameter);
        return said === undefined ? [] : [{ other, said }];
      });
      const all = [own, ...others.map(({ said }) => said)].sort((left, right) => left.start - right.start);
      const isChoice = others.length === 0 ? isChoiceOfList(filling, own) : joinedByOr(all, planning.text);
      const used = new Set(drafts.flatMap(sourcesOf));
      if (!isChoice || others.some(({ other }) => used.has(other))) continue;
      for (const { other } of others) drafts.splice(drafts.indexOf(other), 1);
      draft.filled.delete(key(parameter));
      const name = pathText(parameter.path);
      const which = others.length === 0 ? own.text : all.map(({ text }) => text).join(" or ");
      const message = `\`${draft.profile.label}\` needs \`${name}\`; the goal says "${which}" and leaves open which.`;
      planning.unresolved.push({ reason: "missing_argument", text: name, message, draft });
    }
  }
}

function saidIn(filling: Filling): SaidValue | undefined {
  if (filling.kind !== "value" || filling.origin?.source !== "goal" || filling.origin.start === undefined)
    return undefined;
  return { text: filling.origin.text ?? String(filling.value), start: filling.origin.start };
}

/** What another call of the same tool says for an argument, where it says the same for all others. */
function alternative(draft: Draft, other: Draft, parameter: Parameter): SaidValue | undefined {
  if (other.profile !== draft.profile || other.filled.size !== draft.filled.size) return undefined;
  for (const [slot, { filling }] of draft.filled) {
    const theirs = other.filled.get(slot)?.filling;
    const isSame = theirs !== undefined && contentOf(theirs) === contentOf(filling);
    if (isSame === (slot === key(parameter))) return undefined;
  }
  const found = other.filled.get(key(parameter));
  return found && saidIn(found.filling);
}

const contentOf = (filling: Filling): unknown =>
  filling.kind === "value"
    ? JSON.stringify(filling.value)
    : filling.kind === "link"
      ? filling.link.path
      : filling.composed;

/** "A, B or C": commas and small words between them, and an "or" before the last. */
function joinedByOr(all: readonly SaidValue[], text: string): boolean {
  const gaps = all.slice(1).map(({ start }, at) => text.slice(all[at]!.start + all[at]!.text.length, start));
  return (
    gaps.every((gap) => gap.length <= maxBetween && !/[.;!?]|\b(?:and|then)\b/i.test(gap)) &&
    /\bor\b/i.test(gaps.at(-1) ?? "")
  );
}

const isChoiceOfList = (filling: Filling, { text }: SaidValue) =>
  filling.kind === "value" && Array.isArray(filling.value) && filling.value.length > 1 && /\s(?:or)\s/i.test(text);
