import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const { tests, sources } = JSON.parse(readFileSync(process.env.MUTATION_WORK ?? "", "utf8")) as {
  tests: string[];
  /** Sources with all of their changes in them, by path. */
  sources: Record<string, string>;
};
const changed = new Map(
  Object.entries(sources).map(([path, source]) => [
    path,
    source
      .replaceAll("new WeakMap", "new globalThis.ForgetfulMap")
      .replaceAll(/^const (\w+) = new Map(?:<[^()\n]*>)?\(\);/gm, "const $1 = new globalThis.ForgetfulMap();"),
  ]),
);

// One process, which keeps what it has loaded from test to test.
export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  plugins: [{ name: "mutants", enforce: "pre", load: (id: string) => changed.get(id.split("?")[0] ?? "") }],
  resolve: { alias: [{ find: /^fast-check$/, replacement: join(import.meta.dirname, "fast-check.ts") }] },
  test: {
    include: tests,
    env: { MUTATION_FAST_CHECK: import.meta.resolve("fast-check") },
    runner: "test/mutation/runner.ts",
    testTimeout: 10_000,
    pool: "forks",
    isolate: false,
    maxWorkers: 1,
    reporters: ["dot"],
    // Elsewhere the sources lie without their changes.
    fsModuleCachePath: join(process.env.MUTATION_WORK ?? "", "../modules"),
  },
});
