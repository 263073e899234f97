import type { Executor } from "@planloom/plan";
import {
  defineExecutor,
  defineTool,
  dryRun,
  fork,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { planOf } from "../support/run-plans.ts";

const tool = (id: string, calls: string[]) => defineTool({ id, description: "", execute: () => void calls.push(id) });
const world = (...ids: string[]) => {
  const calls: string[] = [];
  return { calls, executors: [toolExecutor(ids.map((id) => tool(id, calls)))] };
};
const plan = planOf({ a: [] }, { a: { tool_id: "shop/refund" } });

describe("options that name resources", () => {
  const holding: readonly (readonly [option: string, (id: string) => Partial<RunOptions>])[] = [
    ["approval.resources", (id) => ({ approval: { resources: [id] } })],
    ["limits.resources", (id) => ({ limits: { resources: { [id]: 1 } } })],
    ["limits.rates", (id) => ({ limits: { rates: { [id]: { limit: 1, intervalMs: 1 } } } })],
    ["budgets.resources", (id) => ({ budgets: { resources: { [id]: { calls: 9 } } } })],
    ["guards.tools", (id) => ({ guards: { tools: { [id]: 9 } } })],
    ["cache.resources", (id) => ({ cache: { resources: [id] } })],
  ];

  test.for(holding)("%s: a misspelt one is refused before anything starts", async ([option, optionsFor]) => {
    const { calls, executors } = world("shop/refund", "shop/orders");
    await expect(run(plan, { executors, ...optionsFor("shop/refnd") })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      message: `Expected \`${option}\` to name known resources, got "shop/refnd", which is unknown; perhaps "shop/refund" is meant.`,
      details: { option, resource_id: "shop/refnd", candidates: ["shop/refund", "shop/orders"] },
    });
    expect(calls).toEqual([]);
  });

  test.for(holding)("%s: one that means several is refused", async ([, optionsFor]) => {
    const { executors } = world("shop/refund", "bank/refund", "bank/pay");
    await expect(run(plan, { executors, ...optionsFor("refund") })).rejects.toMatchObject({
      message: expect.stringContaining('"refund"; write the whole id: shop/refund, bank/refund'),
      details: { candidates: ["shop/refund", "bank/refund"] },
    });
  });

  test.for(holding)("%s: read as tasks may write it", async ([option, optionsFor]) => {
    for (const id of ["shop/refund", "refund", "shop__refund"]) {
      const { executors, calls } = world("shop/refund");
      const { end_reason } = await run(plan, { executors, ...optionsFor(id) });
      const asks = option === "approval.resources";
      expect([end_reason, calls], id).toEqual(asks ? ["waiting_approval", []] : ["completed", ["shop/refund"]]);
    }
  });

  test("a cap by the bare name of a tool holds", async () => {
    const { calls, executors } = world("shop/refund");
    await run(planOf({ a: [], b: [] }, { a: { tool_id: "refund" }, b: { tool_id: "shop/refund" } }), {
      executors,
      guards: { tools: { refund: 1 } },
    });
    expect(calls).toHaveLength(1);
  });

  test("a dry run refuses them too", () => {
    const { executors } = world("shop/refund");
    expect(() => dryRun(plan, { executors, approval: { resources: ["shop/refnd"] } })).toThrow("shop/refnd");
  });

  test("a resumed run is not held up by a resource that has gone meanwhile", async () => {
    const journal = memoryJournal();
    const approval = { resources: ["shop/refund", "shop/orders"] };
    const before = world("shop/refund", "shop/orders");
    await run(plan, { executors: before.executors, journal, runId: "r", approval });
    const { end_reason } = await resume("r", { executors: world("shop/refund").executors, journal });
    expect(end_reason).toBe("waiting_approval");
  });
});

test.for(["resume", "fork"] as const)(
  "%s refuses a misspelt name that is given to it, and the run stays as it was",
  async (how) => {
    const journal = memoryJournal();
    const { executors, calls } = world("shop/refund");
    await run(plan, { executors, journal, runId: "r", approval: { resources: ["shop/refund"] } });
    const options = { executors, journal, approval: { resources: ["shop/refnd"] } };
    const refused = how === "resume" ? resume("r", options) : fork("r", "a", options);
    await expect(refused).rejects.toMatchObject({
      details: { option: "approval.resources", resource_id: "shop/refnd" },
    });
    expect(await journal.listRuns()).toMatchObject([{ run_id: "r", status: "waiting_approval" }]);
    expect(calls).toEqual([]);
  },
);

test("a variable that the plan neither declares nor refers to is refused; those it has are taken", async () => {
  const { executors, calls } = world("look");
  const of = (text: string) => ({
    ...planOf({ a: [] }, { a: { tool_id: "look", arguments: { text } } }),
    variables: { city: "Bonn" },
  });
  for (const act of [run, async (...given: Parameters<typeof dryRun>) => dryRun(...given)]) {
    await expect(act(of("${city}"), { executors, variables: { citty: "Köln" } })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      message: 'Expected `variables` to be variables of the plan, got "citty". Did you mean "city"?',
      details: { option: "variables", name: "citty", candidates: ["city"] },
    });
    await expect(act(of("${city}"), { executors, variables: { tenant: 7 } })).rejects.toMatchObject({
      message: 'Expected `variables` to be variables of the plan, got "tenant". The plan has city.',
    });
    calls.length = 0;
    await act(of("${street}"), { executors, variables: { street: "Ring", city: "Köln" } });
    expect(calls).toEqual(act === run ? ["look"] : []);
  }
});

test("a gate holds for a tool that comes back while the run goes on", async () => {
  const calls: string[] = [];
  const base = toolExecutor([tool("work", calls), tool("mail/send", calls)]);
  let offered = base.resources().filter(({ id }) => id === "work");
  const executor: Executor = defineExecutor({
    kind: "tool",
    resources: () => offered,
    unavailable: (id) => (offered.some((each) => each.id === id) ? undefined : "Its server is down."),
    execute: async (step, context) => {
      offered = [...base.resources()];
      return base.execute(step, context);
    },
  });
  const { end_reason, results } = await run(
    planOf({ a: [], send: ["a"] }, { a: { tool_id: "work" }, send: { tool_id: "mail/send" } }),
    {
      executors: [executor],
      approval: { resources: ["mail/send"] },
      replanPolicy: { on: ["resource"] },
      replan: async () => undefined,
    },
  );
  expect(calls).toEqual(["work"]);
  expect(end_reason).toBe("waiting_approval");
  expect(results[1]?.status).toBe("waiting_approval");
});
