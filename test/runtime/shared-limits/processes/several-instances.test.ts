import { memoryJournal } from "@planloom/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { limitsAreKept } from "../../../support/limited-runs.ts";

test("several instances that share a journal keep limits together: none is ever exceeded, every run ends, nothing is kept", async () => {
  const property = limitsAreKept({
    count: 3,
    journal: memoryJournal,
    async afterwards(journal) {
      const store = await journal.openLimits!();
      expect(JSON.parse((await store.read("arena")) ?? "{}")).toMatchObject({ members: {}, pools: {}, turns: {} });
    },
  });
  await fc.assert(property, { numRuns: cases(100) });
}, 240_000);
