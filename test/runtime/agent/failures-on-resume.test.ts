import type { Model, ModelMessage } from "@planloom/controller";
import {
  approve,
  type Journal,
  memoryJournal,
  planExecute,
  resume,
  resumePlanExecute,
  run,
  SqliteJournal,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { agentPlan, agentWorld, callsOf } from "../../support/agents.ts";
import { dying } from "../../support/dying-journal.ts";

type Reply = ReturnType<typeof callsOf> | string;

/** Replies by how many results of tools it has got, so that it says the same in each session. */
function modelOf(replies: (messages: readonly ModelMessage[]) => Reply): Model {
  return {
    name: "m",
    async generate({ messages }) {
      const reply = replies(messages);
      return typeof reply === "string" ? { text: reply, toolCalls: [] } : { text: "", toolCalls: [], ...reply };
    },
  };
}

const results = (messages: readonly ModelMessage[]) => messages.filter(({ role }) => role === "tool");

const loops = {
  "a call of an agent": {
    options: {},
    model: () =>
      modelOf((messages) => {
        const given = results(messages);
        if (given.length === 0) return callsOf(["fetch", {}], ["look", {}]);
        return given.length === 2 ? callsOf(["look", { q: "more" }]) : `${given[0]!.content}`;
      }),
  },
  "a call within a part that it handed on": {
    options: { delegation: {} },
    model: () =>
      modelOf((messages) => {
        const given = results(messages);
        const isPart = messages[0]!.content.includes("one part of a larger task");
        if (given.length === 0)
          return isPart ? callsOf(["fetch", {}]) : callsOf(["delegate", { task: "x" }], ["look", {}]);
        if (isPart) return `${given[0]!.content}`;
        return given.length === 2 ? callsOf(["look", { q: "more" }]) : `${given[0]!.content}`;
      }),
  },
};

const journals: Record<string, () => Journal | Promise<Journal>> = {
  memory: memoryJournal,
  sqlite: () => SqliteJournal.open(":memory:"),
};

/** Runs until so many records are written, and dies there. Whether it did. */
async function died(
  records: number,
  start: (journal: Journal) => Promise<unknown>,
  journal: Journal,
): Promise<boolean> {
  const life = dying(journal, records);
  await start(life.journal).catch(() => {});
  return life.isDead();
}

const down = () => {
  throw new Error("down");
};

describe.each(Object.keys(journals))("what failed before a crash, with the journal %s", (kind) => {
  test.each(Object.keys(loops) as (keyof typeof loops)[])("%s", async (name) => {
    const { model, options } = loops[name];
    const again: boolean[] = [];
    for (let records = 1; ; records++) {
      const journal = await journals[kind]!();
      const { executors } = agentWorld(model(), { fetch: down, look: () => 1 }, options);
      const start = (dies: Journal) =>
        run(agentPlan(), { executors, journal: dies, runId: "r", retry: { max_attempts: 1 } });
      if (!(await died(records, start, journal))) break;
      const nested = await journal.getNestedTasks("r");
      const failed = nested.find(({ record }) => record.status === "failed");
      const answers = nested.filter(
        ({ path, record }) => record.task_id === "model" && path.join() === failed?.path.join(),
      );
      const world = agentWorld(model(), { fetch: () => "up", look: () => 1 }, options);
      const result = await resume("r", { executors: world.executors, journal, onUnknown: "retry" });
      // The model has read the failure once it has answered for the second time.
      const wasRead = failed !== undefined && answers.length > 1;
      if (failed !== undefined) again.push(!wasRead);
      expect(result.output_data).toEqual({ work: { text: expect.stringContaining(wasRead ? "down" : "up") } });
      expect(world.calls.filter(([id]) => id === "fetch")).toHaveLength(wasRead ? 0 : 1);
      await journal.close();
    }
    expect(new Set(again)).toEqual(new Set([true, false]));
  });

  test("a step of a plan-execute loop", async () => {
    const again: boolean[] = [];
    for (let records = 1; ; records++) {
      const journal = await journals[kind]!();
      const executed: string[] = [];
      const options = (fetch: () => unknown) => ({
        executors: [],
        planner: () => ["fetch", "look"],
        executor({ step }: { step: string }) {
          executed.push(step);
          return step === "fetch" ? fetch() : 1;
        },
        replanner: ({ ExecutedSteps }: { ExecutedSteps: readonly { result: string }[] }) =>
          ExecutedSteps.length === 1 ? { plan: ["look"] } : { respond: ExecutedSteps[0]!.result },
      });
      const start = (dies: Journal) =>
        planExecute("Go", { ...options(down), journal: dies, runId: "r", retry: { max_attempts: 1 } });
      if (!(await died(records, start, journal))) break;
      const nested = await journal.getNestedTasks("r");
      const hasFailed = nested.some(({ record }) => record.status === "failed");
      const wasRead = hasFailed && nested.some(({ record }) => record.task_id === "replanner-1");
      executed.length = 0;
      const result = await resumePlanExecute("r", { ...options(() => "up"), journal, onUnknown: "retry" });
      if (hasFailed) again.push(!wasRead);
      expect(result.response).toBe(wasRead ? "Failed: down" : "up");
      expect(executed.filter((step) => step === "fetch")).toHaveLength(wasRead ? 0 : 1);
      await journal.close();
    }
    expect(new Set(again)).toEqual(new Set([true, false]));
  });
});

test("a part that an agent handed on and that failed", async () => {
  const model = (part: () => string) =>
    modelOf((messages) => {
      const given = results(messages);
      const isPart = messages[0]!.content.includes("one part of a larger task");
      if (isPart) return part();
      if (given.length === 0) return callsOf(["delegate", { task: "x" }]);
      return given.length === 1 ? callsOf(["look", {}]) : given[0]!.content;
    });
  const world = (part: () => string) => agentWorld(model(part), { look: () => 1 }, { delegation: {} }).executors;
  const again: boolean[] = [];
  for (let records = 1; ; records++) {
    const journal = memoryJournal();
    const options = { runId: "r", retry: { max_attempts: 1 } };
    const start = (dies: Journal) => run(agentPlan(), { ...options, executors: world(down), journal: dies });
    if (!(await died(records, start, journal))) break;
    const own = (await journal.getNestedTasks("r")).filter(({ path }) => path.join() === "work");
    const hasFailed = own.some(({ record }) => record.status === "failed");
    const wasRead = hasFailed && own.filter(({ record }) => record.task_id === "model").length > 1;
    const result = await resume("r", { executors: world(() => "It is up."), journal, onUnknown: "retry" });
    if (hasFailed) again.push(!wasRead);
    expect(result.output_data).toEqual({ work: { text: expect.stringContaining(wasRead ? "down" : "up") } });
  }
  expect(new Set(again)).toEqual(new Set([true, false]));
});

test("a call that failed stays failed while its agent waits for a person", async () => {
  const journal = memoryJournal();
  let fetched = 0;
  const model = () =>
    modelOf((messages) => {
      const given = results(messages);
      return given.length === 0 ? callsOf(["fetch", {}], ["send", {}]) : `${given[0]!.content}`;
    });
  const world = (fetch: () => unknown) =>
    agentWorld(model(), {
      fetch: () => {
        fetched += 1;
        return fetch();
      },
      send: () => "sent",
    });
  const approval = { resources: ["send"] };
  const first = await run(agentPlan(), { executors: world(down).executors, journal, runId: "r", approval });
  expect([first.end_reason, fetched]).toEqual(["waiting_approval", 1]);
  await approve("r", "work/call-0-1", { journal });
  const second = await resume("r", { executors: world(() => "up").executors, journal });
  expect(second.output_data).toEqual({ work: { text: '{"error":"down"}' } });
  expect(fetched).toBe(1);
});
