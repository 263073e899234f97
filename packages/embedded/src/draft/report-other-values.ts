import { verbStems } from "../catalogue/acts-of.ts";
import { stem } from "../language/text/stem.ts";
import type { Draft } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** What may be between two values in a row. */
const joint = String.raw`\s*(?:,|,?\s*(?:and|or|as well as|plus)|&)\s+(?:(?:the|of|in|for|also)\s+){0,3}`;
const behind = new RegExp(`^${joint}`, "iu");
const before = new RegExp(`${joint}$`, "iu");
/** Characters beside a value that are looked at. */
const maxBeside = 60;

/**
 * "The results of the 10k and the full" by a tool that takes one distance: a further allowed value in the same row that no call was given is an open point. O(drafts² · arguments · values)
 */
export function reportOtherValues(drafts: readonly Draft[], planning: PlanningState): void {
  for (const draft of drafts) {
    for (const [slot, { parameter, filling }] of draft.filled) {
      if (filling.kind !== "value" || filling.origin?.source !== "goal" || parameter.choices.length < 2) continue;
      const { start, text = String(filling.value) } = filling.origin;
      if (start === undefined || parameter.takesList) continue;
      const isGiven = (value: unknown) =>
        drafts.some((other) => {
          const own = other.profile === draft.profile ? other.filled.get(slot)?.filling : undefined;
          return own?.kind === "value" && own.value === value;
        });
      const isBeside = besideIn(planning.text.toLowerCase(), start, start + text.length);
      const values = parameter.choices.flatMap(({ value }) =>
        // "Squash and merge it" by a tool that merges.
        typeof value === "string" && !isGiven(value) && !verbStems(draft.profile).has(stem(value)) ? value : [],
      );
      const other = values.find((value) => isBeside(value.toLowerCase()));
      if (other === undefined) continue;
      const message = `\`${draft.profile.label}\` takes one \`${parameter.name}\`, and no call was given "${other}".`;
      planning.unresolved.push({ reason: "no_parameter", text: other, message, draft });
    }
  }
}

/** Whether a word is in a row with what is from one place to another. */
function besideIn(text: string, from: number, to: number): (word: string) => boolean {
  const after = text.slice(to, to + maxBeside);
  const earlier = text.slice(Math.max(0, from - maxBeside), from);
  const [link] = behind.exec(after) ?? [];
  const linkBefore = before.exec(earlier);
  const next = link === undefined ? "" : after.slice(link.length);
  const last = linkBefore === null ? "" : earlier.slice(0, linkBefore.index);
  return (word) =>
    (next.startsWith(word) && !/^[\p{L}\d_-]/u.test(next.slice(word.length))) ||
    (last.endsWith(word) && !/[\p{L}\d_-]$/u.test(last.slice(0, -word.length)));
}
