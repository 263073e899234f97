import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTool, memoryJournal, Planloom } from "planloom";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
beforeAll(async () => {
  home = await temporaryHome();
});
afterAll(() => home.remove());

test("a loop that is resumed minds the gates and budgets of the instance that resumes it", async () => {
  const journal = memoryJournal();
  const paid: number[] = [];
  const tools = [defineTool({ id: "pay", description: "pays", execute: () => paid.push(1) })];
  let stopped = true;
  const model = {
    name: "m",
    async generate({ messages }: { messages: readonly { role: string }[] }) {
      if (stopped) throw new Error("down");
      const done = messages.some(({ role }) => role === "tool");
      return { text: done ? "Paid." : "", toolCalls: done ? [] : [{ id: "1", name: "pay", arguments: "{}" }] };
    },
  };
  const roles = {
    planner: async () => ({ steps: ["pay"] }),
    executor: { model },
    replanner: async () => ({ respond: "done" }),
  };
  const abort = new AbortController();
  const first = new Planloom({ tools, journal });
  await first.planExecute("Pay", {
    ...roles,
    runId: "loop",
    signal: abort.signal,
    executor: async () => {
      abort.abort();
      return new Promise<never>((_, reject) => setTimeout(reject, 5, new Error("stopped")));
    },
  });
  stopped = false;
  const gated = new Planloom({ tools, journal, approval: { resources: ["pay"] } });
  expect((await gated.resumePlanExecute("loop", roles)).end_reason).toBe("waiting_approval");
  expect(paid).toEqual([]);
  const poor = new Planloom({ tools, journal, budgets: { resources: { pay: { calls: 0 } } } });
  await poor.resumePlanExecute("loop", roles);
  expect(paid).toEqual([]);
});

test("`planloom resume` minds the gates of the configuration that it resumes with", async () => {
  const config = (more: string) => `
    export default { executors: [{ kind: "tool",
      resources: () => ["look", "pay"].map((id) => ({ kind: "tool", id, description: id })),
      async execute({ uid }) {
        if (uid === "look" && !globalThis.stricterDoorsOpen) throw new Error("closed");
        (globalThis.stricterDoors ??= []).push(uid);
        return 1;
      } }], ${more} };`;
  const lax = join(home.path, "lax.config.mjs");
  const strict = join(home.path, "strict.config.mjs");
  await writeFile(lax, config(""));
  await writeFile(strict, config(`approval: { resources: ["pay"] }`));
  const planned_tasks = [
    { task_id: "a", execution_type: "tool", tool_id: "look", retry: { max_attempts: 1 } },
    { task_id: "b", execution_type: "tool", tool_id: "pay", dependencies: ["a"] },
  ];
  const plan = join(home.path, "plan.json");
  await writeFile(plan, JSON.stringify({ task_id: "p", planned_tasks }));
  const first = await runCliHere(["run", plan, "--config", lax, "--json"], home.env);
  const { run_id } = JSON.parse(first.stdout.slice(first.stdout.indexOf("{"))) as { run_id: string };
  const called = globalThis as { stricterDoorsOpen?: boolean; stricterDoors?: string[] };
  called.stricterDoorsOpen = true;
  const second = await runCliHere(["resume", run_id, "--config", strict], home.env);
  expect(second.code, second.stderr).toBe(3);
  expect(called.stricterDoors).toEqual(["look"]);
});
