import fc from "fast-check";
import { test } from "vitest";
import { cases } from "../../support/cases.ts";
import { limitsAreKept } from "../../support/limited-runs.ts";

test("no limit is ever exceeded, every run ends, and nothing is kept", async () => {
  await fc.assert(limitsAreKept({ count: 1 }), { numRuns: cases(200) });
}, 120_000);
