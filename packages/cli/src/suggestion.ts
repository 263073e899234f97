/**
 * The known name that a mistyped one is most like; `undefined` where none or several are like it. A typed name that is shorter than the known ones may be the
 * beginning of an id, so it is compared with their beginnings too.
 */
export async function suggestion(typed: string, known: Iterable<string>): Promise<string | undefined> {
  const { nearestNames } = await import("planloom/plan");
  const names = [...new Set(known)];
  const whole = nearestNames(typed, names).likely;
  if (whole !== undefined || typed.length < shortestBeginning) return whole;
  const byBeginning = Map.groupBy(names, (name) => name.slice(0, typed.length));
  const { likely: beginning, score } = nearestNames(typed, byBeginning.keys());
  const meant = beginning === undefined ? undefined : byBeginning.get(beginning);
  return score >= likeBeginning && meant?.length === 1 ? meant[0] : undefined;
}

/** Fewer characters are like the beginning of too many ids. */
const shortestBeginning = 4;
const likeBeginning = 0.7;

/** Words for the end of a message: ` Did you mean "orders"?`, or nothing. */
export async function didYouMean(typed: string, known: Iterable<string>): Promise<string> {
  const meant = await suggestion(typed, known);
  return meant === undefined ? "" : ` Did you mean ${JSON.stringify(meant)}?`;
}
