import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { trialFiles } from "./trial-files.ts";

test("trials are found by what they import, wherever they lie", () => {
  const files = trialFiles(fileURLToPath(new URL("../..", import.meta.url)));
  // The first imports several names, the others one.
  const some = ["simulation/simulation", "postgres/dispatch-trials", "planloom/processes/killed-schedulers"];
  expect(files).toEqual(expect.arrayContaining(some.map((name) => `test/${name}.test.ts`)));
  // It has cases of a search, and no trial.
  expect(files).not.toContain("test/plan/hashes.test.ts");
});
