import fc from "fast-check";
import { cases } from "./cases.ts";

/**
 * `pnpm test` tries the same cases each time, so that a red test has to do with the change at hand; `pnpm fuzz` looks for new ones. Of a property
 * that does not say how many it tries, these are a quarter of what fast-check would try.
 */
fc.configureGlobal({ seed: 20261122, numRuns: cases(100) });
