import { setTimeout as sleep } from "node:timers/promises";
import { memoryJournal } from "@planloom/runtime";
import fc from "fast-check";
import { defineTool, Planloom, TaskData } from "planloom";
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

test.for([{ weight: 3 }, { priority: 1 }])(
  "chains of two instances share one slot as they claim: %j",
  async (claim) => {
    const journal = memoryJournal();
    const made: string[] = [];
    const work = defineTool({
      id: "work",
      description: "Takes a moment.",
      input: { type: "object" },
      readOnly: true,
      async execute({ of }) {
        made.push(String(of));
        // Real time: the exchange between instances goes by the clock of the machine.
        await sleep(40);
        return null;
      },
    });
    const chain = (of: string, calls: number) =>
      TaskData.parse({
        planned_tasks: Array.from({ length: calls }, (_, at) => ({
          task_id: `t${at}`,
          execution_type: "tool",
          tool_id: "work",
          arguments: { of },
          dependencies: at === 0 ? [] : [`t${at - 1}`],
        })),
      });
    const instances = [0, 1].map(() => new Planloom({ tools: [work], journal, limitScope: "journal", concurrency: 1 }));
    const [claims, plain] = instances.map((planloom, at) =>
      planloom.run(chain(at === 0 ? "claims" : "plain", 24), at === 0 ? claim : {}),
    );
    await Promise.all([claims, plain]);
    for (const planloom of instances) await planloom.close();
    // The first calls show how long the runs take to ask for the next.
    const both = made.slice(8, made.lastIndexOf("claims") + 1);
    expect(both.filter((of) => of === "claims").length / both.length).toBeGreaterThan(0.65);
  },
);
