import { run, SharedLimits } from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf, statuses, tools } from "../../support/run-plans.ts";

const ids = Array.from({ length: 12 }, (_, at) => `t${at}`);
const tasks = planOf(
  Object.fromEntries(ids.map((id) => [id, []])),
  Object.fromEntries(ids.map((id) => [id, { tool_id: "work", retry: { max_attempts: 1 } }])),
);
const list = planOf(
  { list: [] },
  { list: { tool_id: "work", for_each: { items: ids }, retry: { max_attempts: 1 }, arguments: { of: "${item}" } } },
);

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A tool whose calls last until they are ended, one after the other; the first call of all fails. */
function work() {
  const open: (() => void)[] = [];
  let calls = 0;
  const executors = [
    tools({
      work: async () => {
        const number = calls++;
        await new Promise<void>((resolve) => open.push(resolve));
        if (number === 0) throw new Error("no");
        return number;
      },
    }),
  ];
  return {
    executors,
    calls: () => calls,
    async endOne() {
      open.shift()?.();
      await turns();
    },
  };
}

const ended = [
  ["a run that is halted", tasks, { onFailure: "halt" }],
  ["a list that may lose no element", list, {}],
] as const;
const rows = ended.flatMap((row) => [["alone", ...row] as const, ["beside another run", ...row] as const]);

test.for(rows)("%s: of %s nothing begins after the failure", async ([place, , plan, options]) => {
  const shared = new SharedLimits({ concurrency: 3 });
  const own = work();
  const other = work();
  const given = { shared, concurrency: 3, onFailure: "continue" } as const;
  const running = run(plan, { ...given, ...options, executors: own.executors });
  await turns();
  const beside = place === "alone" ? undefined : run(tasks, { ...given, executors: other.executors });
  await turns();
  expect(own.calls()).toBe(3);
  for (let turn = 0; turn < 30; turn++) {
    await own.endOne();
    await other.endOne();
  }
  const { end_reason } = await running;
  expect(end_reason).toBe("failed");
  expect(own.calls()).toBe(3);
  if (beside !== undefined)
    expect(Object.values(statuses(await beside)).filter((one) => one === "completed")).toHaveLength(11);
});

test("of a list whose elements a person is asked about, a run that is alone asks about as many as it may have under way", async () => {
  const asked = planOf({ list: [] }, { list: { ...list.planned_tasks[0]!, approval: "required" } });
  const shared = new SharedLimits({ concurrency: 2 });
  const { results } = await run(asked, { shared, concurrency: 2, executors: work().executors });
  expect(results[0]?.error?.details?.waiting).toHaveLength(2);
});

test("of a list that has failed, an element whose calls are repeated goes on until its condition holds", async () => {
  let asked = 0;
  const look = async (input: unknown) => {
    if ((input as { of: string }).of !== "b") throw new Error("no");
    return { done: ++asked === 3 };
  };
  const plan = planOf(
    { list: [] },
    {
      list: {
        tool_id: "look",
        for_each: { items: ["b", "a"], concurrency: 2 },
        retry: { max_attempts: 1 },
        retry_until: { condition: "output.done", interval_ms: 1 },
        arguments: { of: "${item}" },
      },
    },
  );
  const { end_reason } = await run(plan, {
    shared: new SharedLimits({ concurrency: 2 }),
    executors: [tools({ look })],
  });
  expect([end_reason, asked]).toEqual(["failed", 3]);
});
