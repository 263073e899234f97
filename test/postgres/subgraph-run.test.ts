import { TaskData } from "@planloom/plan";
import { type DispatchRequest, defineTool, memoryJournal, toolExecutor } from "@planloom/runtime";
import { emptyDispatch } from "@planloom/runtime/journal-parts";
import { expect, test } from "vitest";
import { runSubgraph } from "../../packages/postgres/src/dispatch/subgraph-run.ts";

/** A subgraph of a task that fails, one behind it, and one that lasts until it is told to end. */
function subgraphRun() {
  const calls: string[] = [];
  const journal = memoryJournal();
  const drain = new AbortController();
  let isMended = false;
  const tools = [
    defineTool({
      id: "step",
      description: "",
      idempotent: true,
      execute: ({ id }: { id: string }) => {
        calls.push(id);
        if (id === "long") drain.abort();
        if (id === "broken" && !isMended) throw new Error("not found");
        return id;
      },
    }),
  ];
  const step = (id: string, dependencies: string[] = []) => ({
    ...{ task_id: id, tool_id: "step", arguments: { id }, dependencies },
    retry: { max_attempts: 1 },
  });
  const plan = TaskData.parse({
    task_id: "p",
    planned_tasks: [step("broken"), step("behind", ["broken"]), step("long"), step("last", ["long"])],
  });
  const request: DispatchRequest = { ...emptyDispatch(drain.signal).request, run_id: "r", subgraph_id: "S", plan };
  const work = (triesAgain: boolean, signal = new AbortController().signal) =>
    runSubgraph("r~S", request, { journal, executors: [toolExecutor(tools)], drain: signal, triesAgain });
  return {
    calls,
    journal,
    /** The first worker ends in the middle. */
    begin: () => work(false, drain.signal),
    /** Another one takes it up. @returns how it ended, and what was called */
    continue: async (triesAgain: boolean) => {
      calls.length = 0;
      return [await work(triesAgain), ...calls];
    },
    mend: () => {
      isMended = true;
    },
  };
}

test("another worker continues a subgraph, and does not try again what has failed in it", async () => {
  const subgraph = subgraphRun();
  expect(await subgraph.begin()).toBe("drained");
  expect(subgraph.calls).toEqual(["broken", "long"]);
  expect(await subgraph.continue(false)).toEqual(["failed", "last"]);
  // Nor does one that takes up what had ended before its run could say so.
  expect(await subgraph.continue(false)).toEqual(["failed"]);
});

test("of a run that somebody resumed, what failed in a subgraph is tried again", async () => {
  const subgraph = subgraphRun();
  await subgraph.begin();
  subgraph.mend();
  expect(await subgraph.continue(true)).toEqual(["completed", "broken", "behind", "last"]);
});
