import {
  defineAgent,
  defineTool,
  type Executor,
  type Journal,
  memoryJournal,
  Planloom,
  type PlanloomOptions,
  type PlanloomRunOptions,
  TaskData,
  toolExecutor,
} from "planloom";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** What a function of the user's may do wrong. */
type Misbehaviour = "throws" | "rejects" | "never settles" | "gives nonsense" | "settles twice";

const misbehaviours: Readonly<Record<Misbehaviour, (good: unknown) => () => unknown>> = {
  throws: () => () => {
    throw new Error("boom");
  },
  rejects: () => () => Promise.reject(new Error("boom")),
  "never settles": () => () => new Promise(() => {}),
  "gives nonsense": () => () => Symbol("nonsense"),
  "settles twice": (good) => () => ({
    // biome-ignore lint/suspicious/noThenProperty: a thenable that breaks the rules of promises is what is tested
    then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
      resolve(good);
      reject(new Error("second answer"));
      resolve("third answer");
    },
  }),
};

interface Setup {
  readonly options?: Partial<PlanloomOptions>;
  readonly run?: Partial<PlanloomRunOptions>;
  readonly plan?: TaskData;
  /** @default runs the plan */
  readonly start?: (planloom: Planloom, options: PlanloomRunOptions) => Promise<{ readonly end_reason: string }>;
}

/** How a run ends: its end reason, or the code of the error that it rejects with. */
type End = string;

interface Row {
  readonly name: string;
  /** What a thenable that settles twice gives first. */
  readonly good?: unknown;
  /** How the run ends by default. */
  readonly end: End;
  /** Where it ends otherwise. */
  readonly ends?: Partial<Record<Misbehaviour, End>>;
  /** What an error or a warning calls it. */
  readonly told: string;
  /** Where nothing is wrong, or nobody looks, so that nothing is told. */
  readonly silent?: readonly Misbehaviour[];
  /** Where the run goes on until it is aborted. */
  readonly endless?: readonly Misbehaviour[];
  setup(misbehaving: () => never): Setup;
}

const tool = defineTool({ id: "t", description: "The tool t", readOnly: true, execute: () => 1 });
const failing = defineTool({
  id: "f",
  description: "The tool f",
  execute: () => {
    throw new Error("f fails");
  },
});
const own = toolExecutor([tool]);
const planOf = (...tasks: Record<string, unknown>[]) =>
  TaskData.parse({ planned_tasks: tasks.map((task, index) => ({ task_id: `a${index}`, ...task })) });
const onePlan = planOf({ execution_type: "tool", tool_id: "t" });
const withExecutor = (over: Partial<Executor>): Setup => ({ options: { tools: [], executors: [{ ...own, ...over }] } });

const listener: Pick<Row, "end" | "silent"> = {
  end: "completed",
  silent: ["never settles", "gives nonsense", "settles twice"],
};

const rows: readonly Row[] = [
  {
    name: "executor.resources",
    told: "tool executor.resources",
    end: "PLAN_CALLBACK",
    setup: (resources) => withExecutor({ resources }),
  },
  {
    name: "executor.estimate (budget)",
    told: "tool executor.estimate",
    end: "failed",
    setup: (estimate) => ({ ...withExecutor({ estimate }), run: { budgets: { run: { calls: 5 } } } }),
  },
  {
    name: "executor.unavailable",
    told: "tool executor.unavailable",
    end: "failed",
    setup: (unavailable) => withExecutor({ unavailable }),
  },
  {
    name: "executor.execute",
    told: "",
    good: 1,
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (execute) => withExecutor({ execute }),
  },
  {
    name: "tool",
    told: "",
    good: 1,
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (execute) => ({ options: { tools: [defineTool({ id: "t", description: "t", execute })] } }),
  },
  {
    name: "agent.send",
    told: "",
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
    told: "",
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
    told: "guards.precondition",
    end: "failed",
    setup: (precondition) => ({ run: { guards: { precondition } } }),
  },
  {
    name: "guards.classify",
    told: "guards.classify",
    end: "failed",
    setup: (classify) => ({ run: { guards: { total: 9, classify } } }),
  },
  {
    name: "random",
    told: "random",
    end: "failed",
    setup: (random) => ({
      run: { random, retry: { max_attempts: 2, initial_delay_ms: 1 } },
      plan: planOf({ execution_type: "tool", tool_id: "f" }),
    }),
  },
  {
    name: "pace",
    told: "pace",
    end: "completed",
    silent: ["gives nonsense", "settles twice"],
    endless: ["never settles"],
    setup: (pace) => ({ run: { pace } }),
  },
  { name: "onEvent", told: "onEvent", ...listener, setup: (onEvent) => ({ run: { onEvent } }) },
  {
    name: "onEvent of resume",
    told: "onEvent",
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
    told: "onEvent",
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
    told: "onEvent",
    ...listener,
    end: "responded",
    setup: (onEvent) => ({ start: (planloom, { signal }) => planloom.planExecute("?", { ...roles, signal, onEvent }) }),
  },
  {
    name: "onRunEvent",
    told: "onRunEvent",
    ...listener,
    end: "responded",
    setup: (onRunEvent) => ({
      start: (planloom, { signal }) => planloom.planExecute("?", { ...roles, signal, onRunEvent }),
    }),
  },
  {
    name: "on()",
    told: "listener of run-end",
    ...listener,
    setup: (misbehaving) => ({
      start: (planloom, options) => planloom.on("run-end", misbehaving).run(onePlan, options),
    }),
  },
  {
    name: "onListenerError",
    told: "onListenerError",
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
    told: "",
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
    told: "",
    good: undefined,
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (check) => ({ run: { replanPolicy: { on: ["output"], check, maxReplans: 0 } } }),
  },
  {
    name: "secret",
    told: "secret",
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
      told: `cache.store.${method}`,
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
    told: "mine dispatcher",
    good: { results: [], usage: { attempts: 0, input_tokens: 0, output_tokens: 0 } },
    end: "failed",
    endless: ["never settles"],
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
    told: "",
    good: { success: false, message: "no" },
    end: "PLANNER_NO_VALID_PLAN",
    endless: ["never settles"],
    setup: (processPhase1) => ({
      options: { controller: { name: "c", processPhase1, processPhase2: processPhase1 } },
      start: (planloom, options) => planloom.run("Do something with t.", options),
    }),
  },
  {
    name: "loop roles",
    told: "",
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

/** A journal one of whose methods misbehaves from when `isOn` says so. */
function faultyJournal(method: keyof Journal, kind: Misbehaviour, isOn: () => boolean = () => true): Journal {
  return new Proxy(memoryJournal(), {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === "storesEvents") return true;
      if (typeof value !== "function") return key === method ? undefined : value;
      const real = value.bind(target) as (...given: unknown[]) => unknown;
      if (key !== method) return real;
      return (...given: unknown[]) => (isOn() ? misbehaviours[kind](real(...given))() : real(...given));
    },
  });
}

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

const warnings: string[] = [];
const unhandled: unknown[] = [];
const onWarning = (warning: Error) => warnings.push(warning.message);
const onUnhandled = (error: unknown) => unhandled.push(error);

beforeEach(() => {
  warnings.length = 0;
  unhandled.length = 0;
  process.on("warning", onWarning);
  process.on("unhandledRejection", onUnhandled);
});
afterEach(() => {
  process.off("warning", onWarning);
  process.off("unhandledRejection", onUnhandled);
});

/** Short where something hangs that only a limit of a task or of Stage 2 ends; else long, since machines are busy. */
const limitsOf = (hangs: boolean) => {
  const taskTimeoutMs = hangs ? 150 : 4_000;
  return { taskTimeoutMs, bindTimeoutMs: taskTimeoutMs, journalTimeoutMs: 100, abortGraceMs: 50 };
};
/** Far more than all limits together: what has not ended by then never does. */
const patienceMs = 5_000;

async function within<Value>(work: Promise<Value>): Promise<Value | "hangs"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"hangs">((resolve) => {
    timer = setTimeout(resolve, patienceMs, "hangs");
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function outcome(
  setup: Setup,
  signal?: AbortSignal,
  hangs = false,
): Promise<{ end: End; text: string; closed: unknown }> {
  const planloom = new Planloom({
    tools: [tool, failing],
    journal: memoryJournal(),
    ...limitsOf(hangs),
    ...setup.options,
  });
  const options = { ...setup.run, ...(signal !== undefined && { signal }) };
  const start = setup.start ?? ((given: Planloom) => given.run(setup.plan ?? onePlan, options));
  const work = (async () => start(planloom, options))().then(
    (result) => ({ end: result.end_reason, text: JSON.stringify(result) }),
    (error: { code?: string; name: string; message: string }) => ({
      end: error.code === undefined || typeof error.code !== "string" ? error.name : error.code,
      text: error.message,
    }),
  );
  const ended = await within(work);
  // Warnings and unhandled rejections come a turn later.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const closed = await within(planloom.close().then(() => "closed"));
  return ended === "hangs" ? { end: "hangs", text: "", closed } : { ...ended, closed };
}

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

describe.each(rows)("$name", (row) => {
  test.each(Object.keys(misbehaviours) as Misbehaviour[])("that %s", async (kind) => {
    const misbehaving = misbehaviours[kind](row.good) as () => never;
    const endless = row.endless?.includes(kind) === true;
    const hangs = kind === "never settles" && row.end !== "completed" && row.end !== "responded";
    const { end, text, closed } = await outcome(
      row.setup(misbehaving),
      endless ? AbortSignal.timeout(60) : undefined,
      hangs,
    );
    expect(closed).toBe("closed");
    expect(unhandled).toEqual([]);
    if (endless) expect(["cancelled", "TimeoutError"]).toContain(end);
    else expect(end).toBe(row.ends?.[kind] ?? row.end);
    const isTold = !endless && row.silent?.includes(kind) !== true;
    if (isTold) expect([text, ...warnings].join("\n")).toContain(row.told);
    else expect(warnings).toEqual([]);
  });

  test.each(Object.keys(misbehaviours) as Misbehaviour[])("that %s does not hold up an abort", async (kind) => {
    const misbehaving = misbehaviours[kind](row.good) as () => never;
    const { end, closed } = await outcome(row.setup(misbehaving), AbortSignal.timeout(20));
    expect(end).not.toBe("hangs");
    expect(closed).toBe("closed");
    expect(unhandled).toEqual([]);
  });
});
