/**
 * How much is tried of what is tried many times alike: `pnpm test` tries the same cases each time and of trials (many kills, seeds, processes) a quick form,
 * `pnpm test:trials` tries the whole trials, and `pnpm fuzz` looks for new cases.
 */
const tier = process.env.PLANLOOM_TIER ?? "quick";

export const isFuzzing = tier === "fuzz";

/** Whether this is `pnpm test`, which leaves out a trial whose promise another test shows in less time. */
export const isQuick = tier === "quick";

/**
 * How many of `all` cases a search tries: each of them by `pnpm fuzz`, and else a quarter, rounded up, where the others would be the
 * same in each run and so hardly find what these did not.
 */
export const cases = (all: number): number => (isFuzzing ? all : Math.ceil(all / 4));

/** What a trial is given, such as its kills or seeds: `quick` by `pnpm test`, which still shows what the trial is about, and else `full`. */
export const trials = <Value>(full: Value, quick: Value): Value => (isQuick ? quick : full);
