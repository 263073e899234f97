/** `pnpm test` tries the same cases each time; `pnpm fuzz` looks for new ones. */
export const isFuzzing = process.env.PLANLOOM_FUZZ === "1";

/**
 * How many of `all` cases a search tries: each of them by `pnpm fuzz`, and a quarter, rounded up, by `pnpm test`, where the others would be the
 * same in each run and so hardly find what these did not.
 */
export const cases = (all: number): number => (isFuzzing ? all : Math.ceil(all / 4));
