import fc from "fast-check";

/** `pnpm test` tries the same cases each time, so that a red test has to do with the change at hand; `pnpm fuzz` looks for new ones. */
fc.configureGlobal({ seed: 20261122 });
