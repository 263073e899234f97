import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: {
    include: ["test/**/*.test.ts"],
    env: { PLANLOOM_FUZZ: mode === "fuzz" ? "1" : "" },
    setupFiles: mode === "fuzz" ? [] : ["test/support/fixed-seed.ts"],
    // Many start processes of their own; on a busy machine that takes many seconds.
    testTimeout: 60_000,
    // Sources run by type stripping, as users of the repository run them; child processes too.
    pool: "forks",
    maxWorkers: 2,
  },
}));
