import { type Draft, sourcesOf } from "../build/draft.ts";

/**
 * What changes something is done in the order in which it is asked for: with no output declared, no reference says what
 * must come first. Calls that read or compute wait for nothing.
 */
export function orderEffects(drafts: readonly Draft[]): void {
  const opaque = drafts.filter((draft) => !draft.profile.output.known);
  const acting = opaque.filter(acts);
  if (acting.length < 2 || acting.length * 2 < opaque.length) return;
  opaque.slice(1).forEach((draft, at) => {
    const before = opaque[at]!;
    if (before.profile === draft.profile || sourcesOf(draft).includes(before)) return;
    draft.after.add(before);
  });
}

function acts({ profile }: Draft): boolean {
  const { actions } = profile;
  return (
    !actions.has("read") &&
    (actions.has("create") ||
      actions.has("update") ||
      actions.has("delete") ||
      actions.has("send") ||
      actions.has("run"))
  );
}
