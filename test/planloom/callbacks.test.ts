import { defineAgent, defineTool, type Journal, type Resource } from "planloom";
import { describe, expect, test } from "vitest";
import {
  faultyJournal,
  type Misbehaviour,
  misbehaviours,
  onePlan,
  outcome,
  planOf,
  type Row,
  type Setup,
  testRows,
  unhandled,
  watchProcess,
  withExecutor,
} from "../support/misbehaving.ts";

watchProcess();

const listener: Pick<Row, "end" | "silent"> = {
  end: "completed",
  silent: ["never settles", "gives nonsense", "settles twice"],
};

/** Neither read-only nor idempotent, so that it matters whether it delegates. */
const writing: Resource = { kind: "tool", id: "t", description: "The tool t" };

const rows: readonly Row[] = [
  {
    name: "executor.resources",
    reported: "tool executor.resources",
    end: "PLAN_CALLBACK",
    setup: (resources) => withExecutor({ resources }),
  },
  {
    name: "executor.estimate (budget)",
    reported: "tool executor.estimate",
    end: "failed",
    setup: (estimate) => ({ ...withExecutor({ estimate }), run: { budgets: { run: { calls: 5 } } } }),
  },
  {
    name: "executor.unavailable",
    reported: "tool executor.unavailable",
    end: "failed",
    setup: (unavailable) => withExecutor({ unavailable }),
  },
  {
    name: "executor.delegates (what a crash leaves unknown)",
    reported: "tool executor.delegates",
    end: "completed",
    setup: (delegates) => withExecutor({ delegates, resources: () => [writing] }),
  },
  {
    name: "executor.delegates (confirm)",
    reported: "tool executor.delegates",
    end: "waiting_approval",
    setup: (delegates) => ({ ...withExecutor({ delegates, resources: () => [writing] }), run: { confirm: "writes" } }),
  },
  {
    name: "confirm",
    reported: "`confirm` failed",
    end: "waiting_approval",
    setup: (confirm) => ({ run: { confirm } }),
  },
  {
    name: "executor.execute",
    reported: "",
    good: 1,
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (execute) => withExecutor({ execute }),
  },
  {
    name: "tool",
    reported: "",
    good: 1,
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (execute) => ({ options: { tools: [defineTool({ id: "t", description: "t", execute })] } }),
  },
  {
    name: "agent.send",
    reported: "",
    good: { success: true, data: 1 },
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (send) => ({
      options: { agents: [defineAgent({ id: "a", description: "a", send })] },
      plan: planOf({ execution_type: "agent", agent_id: "a" }),
    }),
  },
  {
    name: "model.generate",
    reported: "",
    good: { text: "yes", toolCalls: [] },
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (generate) => ({
      options: { model: { name: "m", generate } },
      plan: planOf({
        execution_type: "llm",
        parameters: { uid: "default" },
        arguments: { prompt: "?" },
        retry: { max_attempts: 1 },
      }),
    }),
  },
  {
    name: "guards.precondition",
    reported: "guards.precondition",
    end: "failed",
    setup: (precondition) => ({ run: { guards: { precondition } } }),
  },
  {
    name: "guards.classify",
    reported: "guards.classify",
    end: "failed",
    setup: (classify) => ({ run: { guards: { total: 9, classify } } }),
  },
  {
    name: "random",
    reported: "random",
    end: "failed",
    setup: (random) => ({
      run: { random, retry: { max_attempts: 2, initial_delay_ms: 1 } },
      plan: planOf({ execution_type: "tool", tool_id: "f" }),
    }),
  },
  {
    name: "pace",
    reported: "pace",
    end: "completed",
    silent: ["gives nonsense", "settles twice"],
    setup: (pace) => ({ run: { pace } }),
  },
  { name: "onEvent", reported: "onEvent", ...listener, setup: (onEvent) => ({ run: { onEvent } }) },
  {
    name: "onEvent of resume",
    reported: "onEvent",
    ...listener,
    setup: (onEvent) => ({
      start: async (planloom, options) => {
        const { run_id } = await planloom.run(onePlan);
        return planloom.resume(run_id, { ...options, onEvent });
      },
    }),
  },
  {
    name: "onEvent of fork",
    reported: "onEvent",
    ...listener,
    setup: (onEvent) => ({
      start: async (planloom, options) => {
        const { run_id } = await planloom.run(onePlan);
        return planloom.fork(run_id, "a0", { ...options, onEvent });
      },
    }),
  },
  {
    name: "onEvent of planExecute",
    reported: "onEvent",
    ...listener,
    end: "responded",
    setup: (onEvent) => ({ start: (planloom, { signal }) => planloom.planExecute("?", { ...roles, signal, onEvent }) }),
  },
  {
    name: "onRunEvent",
    reported: "onRunEvent",
    ...listener,
    end: "responded",
    setup: (onRunEvent) => ({
      start: (planloom, { signal }) => planloom.planExecute("?", { ...roles, signal, onRunEvent }),
    }),
  },
  {
    name: "on()",
    reported: "listener of run-end",
    ...listener,
    setup: (misbehaving) => ({
      start: (planloom, options) => planloom.on("run-end", misbehaving).run(onePlan, options),
    }),
  },
  {
    name: "onListenerError",
    reported: "onListenerError",
    ...listener,
    setup: (onListenerError) => ({
      options: { onListenerError },
      run: {
        onEvent: () => {
          throw new Error("first");
        },
      },
    }),
  },
  {
    name: "onProgress given nonsense",
    reported: "",
    end: "completed",
    silent: ["throws", "rejects", "never settles", "gives nonsense", "settles twice"],
    setup: (misbehaving) => ({
      options: {
        tools: [
          defineTool({
            id: "t",
            description: "t",
            execute: (_, context) => {
              context.onProgress({ toJSON: misbehaving });
              return 1;
            },
          }),
        ],
      },
    }),
  },
  {
    name: "replanPolicy.check",
    reported: "",
    good: undefined,
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (check) => ({ run: { replanPolicy: { on: ["output"], check, maxReplans: 0 } } }),
  },
  {
    name: "secret",
    reported: "secret",
    good: "a long secret",
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (value) => ({
      run: { secrets: { KEY: { value } } },
      plan: planOf({ execution_type: "tool", tool_id: "t", arguments: { key: { $secret: "KEY" } } }),
    }),
  },
  ...(["readCache", "writeCache"] as const).map(
    (method): Row => ({
      name: `cache.store.${method}`,
      reported: `cache.store.${method}`,
      good: undefined,
      end: "completed",
      silent: method === "readCache" ? ["settles twice"] : ["settles twice", "gives nonsense"],
      setup: (misbehaving) => {
        const store = { readCache: async () => undefined, writeCache: async () => {}, [method]: misbehaving };
        return { options: { cache: { resources: ["t"], store } } };
      },
    }),
  ),
  {
    name: "dispatcher.dispatch",
    reported: "mine dispatcher",
    good: { results: [], usage: { attempts: 0, input_tokens: 0, output_tokens: 0 } },
    end: "failed",
    setup: (dispatch) => ({
      start: (planloom, options) =>
        planloom.run(onePlan, {
          ...options,
          semantics: "atomic",
          subgraphs: [{ subgraph_id: "s", tasks: onePlan.planned_tasks, dependencies: [] }],
          dispatcher: { name: "mine", dispatch },
        }),
    }),
  },
  {
    name: "controller.processPhase1",
    reported: "",
    good: { success: false, message: "no" },
    end: "PLANNER_NO_VALID_PLAN",
    ends: { "never settles": "PLANNER_TIMEOUT" },
    setup: (processPhase1) => ({
      options: { controller: { name: "c", processPhase1, processPhase2: processPhase1 } },
      start: (planloom, options) => planloom.run("Do something with t.", options),
    }),
  },
  {
    name: "loop roles",
    reported: "",
    good: { steps: ["one"] },
    end: "failed",
    ends: { "settles twice": "responded" },
    setup: (planner) => ({
      start: (planloom, { signal }) => planloom.planExecute("?", { ...roles, planner, signal }),
    }),
  },
];

const roles = {
  planner: async () => ({ steps: ["one"] }),
  executor: async () => "done",
  replanner: async () => ({ respond: "yes" }),
};

const gated = planOf(
  { execution_type: "tool", tool_id: "t" },
  { execution_type: "tool", tool_id: "t", arguments: { n: 2 }, dependencies: ["a0"], approval: "required" },
);

/** What a method of the journal is called for, and what its failing ends the run with. */
const journalMethods: readonly (readonly [keyof Journal, "run" | "resume", "READ" | "WRITE" | "nothing"])[] = [
  ["createRun", "run", "WRITE"],
  ["record", "run", "WRITE"],
  ["beginCalls", "run", "WRITE"],
  ["endRun", "run", "WRITE"],
  ["getAnswers", "run", "nothing"],
  ["getRun", "resume", "READ"],
  ["openRun", "resume", "READ"],
  ["getPendingUsage", "resume", "READ"],
  ["getNestedTasks", "resume", "READ"],
  ["getAnswers", "resume", "READ"],
];

const journalFaults = journalMethods.flatMap(([method, door, ends]) =>
  (Object.keys(misbehaviours) as Misbehaviour[]).map((kind) => ({ method, door, ends, kind })),
);

describe.each(journalFaults)("journal.$method that $kind", ({ method, door, ends, kind }) => {
  const isVoid = ends === "WRITE";
  const code =
    ends === "nothing" || kind === "settles twice" || (kind === "gives nonsense" && isVoid)
      ? "waiting_approval"
      : `RUNTIME_JOURNAL_${kind === "never settles" ? "TIMEOUT" : ends}`;

  test.each(["to its end", "with an abort"])(`${door} %s`, async (how) => {
    let on = door === "run";
    const setup: Setup = {
      options: { journal: faultyJournal(method, kind, () => on), budgets: { run: { calls: 9 } } },
      start: async (planloom, options) => {
        const first = await planloom.run(gated, options);
        if (door === "run") return first;
        on = true;
        return planloom.resume(first.run_id, options);
      },
    };
    const aborted = how === "with an abort";
    const { end, text, closed } = await outcome(setup, aborted ? AbortSignal.timeout(20) : undefined);
    expect(closed).toBe("closed");
    expect(unhandled).toEqual([]);
    expect(end).not.toBe("hangs");
    if (aborted) return;
    expect(end).toBe(code);
    if (code !== "waiting_approval") expect(text).toContain(`\`${method}\``);
  });
});

testRows(rows);
