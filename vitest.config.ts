import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Many start processes of their own; on a busy machine that takes many seconds.
    testTimeout: 60_000,
    // Sources run by type stripping, as users of the repository run them; child processes too.
    pool: "forks",
    maxWorkers: 2,
  },
});
