import { join } from "node:path";
import { defineConfig } from "vitest/config";

// One process, and no more: Stryker starts as many of these as it is told.
export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    include: (process.env.MUTATION_TESTS ?? "").split(","),
    setupFiles: ["test/support/fixed-seed.ts"],
    testTimeout: 20_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
