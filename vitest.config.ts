import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    // Sources run by type stripping, as users of the repository run them; child processes too.
    pool: "forks",
    maxWorkers: 2,
  },
});
