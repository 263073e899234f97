import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { trialFiles } from "./test/support/trial-files.ts";

// Tests start hundreds of processes. What Node.js compiled for them is kept where its own default is.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");

export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "trials" ? trialFiles(import.meta.dirname) : ["test/**/*.test.ts"],
    // How much is tried of what is tried many times alike (test/support/cases.ts).
    env: { PLANLOOM_TIER: mode === "trials" || mode === "fuzz" ? mode : "quick" },
    globalSetup: [
      "test/support/memory-folder.ts",
      "test/support/postgres-server.ts",
      "test/support/bundled-packages.ts",
    ],
    setupFiles: ["test/support/bundled-children.ts", ...(mode === "fuzz" ? [] : ["test/support/fixed-seed.ts"])],
    // Many start processes of their own; on a busy machine that takes many seconds.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Tests listen for the product's warnings where they are expected; printed, they would hide what is not. More room for what lives
    // shortly saves a fourteenth of the time, which the collector took.
    execArgv: ["--disable-warning=PlanloomWarning", "--max-semi-space-size=64"],
    // Two more than the cores of a small machine: while tests wait for a process or a clock, others work.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // The files that a worker runs share what they import. A test that changes something global takes it back.
    isolate: false,
    // Node.js strips the types itself, as everywhere else. Vite would transform each file and make each call of an import dearer, which took
    // a quarter of the suite's processor time; without it there is no `vi.mock` (see `test/support/counted-calls.ts`).
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
}));
