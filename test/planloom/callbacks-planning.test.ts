import {
  approve,
  type BehaviorController,
  defineAgent,
  defineWorkflow,
  type Journal,
  type Model,
  memoryJournal,
  type RunEvent,
} from "planloom";
import { draftPatch } from "planloom/plan";
import { Planner, type PlannerOptions, type PlannerPrompts } from "planloom/planner";
import { ledByModel, type RunOptions, reviseRun, run, toolExecutor } from "planloom/runtime";
import { describe, expect, test } from "vitest";
import {
  failing,
  faultyJournal,
  type Misbehaviour,
  misbehaviours,
  onePlan,
  outcome,
  own,
  planOf,
  type Row,
  type Setup,
  testRows,
  tool,
  unhandled,
  watchProcess,
} from "../support/misbehaving.ts";

watchProcess();

const step = { uid: "t", input_data: {} };
const reply = { success: true, data: [{ task_id: "a0", execution_type: "tool", tool_id: "t" }] };
/** Refuses its first answer, so that feedback is written for the second. */
const hesitant = (): BehaviorController => {
  let asked = 0;
  return {
    name: "c",
    processPhase1: async () => (asked++ === 0 ? { success: false, message: "not yet" } : reply),
    processPhase2: async () => ({ success: true, data: step }),
  };
};
const model: Model = { name: "m", generate: async () => ({ text: "done", toolCalls: [] }) };
const planning: Model = {
  name: "m",
  generate: async () => ({
    text: "",
    toolCalls: [{ id: "1", name: "plan", arguments: JSON.stringify({ steps: ["one"] }) }],
  }),
};
/** Stage 2 has to choose. */
const open = planOf({ execution_type: "tool", description: "one of the two" });
const failingPlan = planOf({ execution_type: "tool", tool_id: "f" });
const roles = {
  planner: async () => ({ steps: ["one"] }),
  executor: async () => "done",
  replanner: async () => ({ respond: "yes" }),
};

/** A run without `Planloom`, which brings `bind` and `replan` itself. */
const bare = (plan: typeof onePlan, more: Partial<RunOptions>): Setup => ({
  start: (_, { signal }) =>
    run(plan, {
      executors: [toolExecutor([tool, failing])],
      journal: memoryJournal(),
      bindTimeoutMs: 300,
      abortGraceMs: 50,
      signal,
      ...more,
    }),
});
const planWith = (more: Partial<PlannerOptions>): Setup => ({
  async start(_, { signal }) {
    const planner = new Planner({ controller: hesitant(), resources: own.resources(), ...more });
    await planner.createPlan("Do something with t.", signal === undefined ? {} : { signal });
    return { end_reason: "planned" };
  },
});

const rows: readonly Row[] = [
  {
    name: "bind",
    reported: "",
    good: step,
    end: "failed",
    ends: { "settles twice": "completed" },
    setup: (bind) => bare(open, { bind }),
  },
  {
    name: "replan",
    reported: "f fails",
    end: "failed",
    setup: (replan) => bare(failingPlan, { replan, replanPolicy: { on: ["failure"], timeoutMs: 100 } }),
  },
  ...(["job", "resources", "notes", "task", "context", "feedback"] as const).map((name): Row => {
    const prompts = (write: () => never): Partial<PlannerPrompts> => ({ [name]: write });
    return {
      name: `planner.prompts.${name}`,
      reported: `prompts.${name}`,
      end: "PLAN_CALLBACK",
      setup: (write) => ({
        options: { controller: hesitant(), planner: { prompts: prompts(write) } },
        start: (planloom, options) =>
          planloom.run(
            { job_goal: { objective: "t" }, task_description: "t" },
            { ...options, context: { entities: ["t"] } },
          ),
      }),
    };
  }),
  {
    name: "planner.prompts.task of Stage 2",
    reported: "prompts.task",
    end: "failed",
    setup: (task) => ({ options: { controller: hesitant(), planner: { prompts: { task } } }, plan: open }),
  },
  ...(["newId", "newSearchId", "now"] as const).map(
    (name): Row => ({
      name: `${name} of a planner`,
      reported: `\`${name}\``,
      end: "PLAN_CALLBACK",
      setup: (give) => planWith({ [name]: give }),
    }),
  ),
  {
    name: "propose of a strategy",
    reported: "mine.propose",
    end: "OPTIMIZER_INVALID_PARTITION",
    setup: (propose) => ({
      options: {
        optimizer: { strategy: { name: "mine", version: "1", description: "", deterministic: true, propose } },
      },
      start: async (planloom) => {
        await planloom.optimize(onePlan);
        return { end_reason: "optimized" };
      },
    }),
  },
  {
    name: "messages of an agent",
    reported: "messages",
    end: "failed",
    setup: (messages) => ({
      options: { agents: [defineAgent({ id: "a", description: "a", model, messages })] },
      plan: planOf({ execution_type: "agent", agent_id: "a" }),
    }),
  },
  {
    name: "messages of ledByModel",
    reported: "messages",
    end: "failed",
    setup: (messages) => bare(onePlan, { executors: [ledByModel(own, { model, messages })] }),
  },
  ...(["planner", "executor", "replanner"] as const).map(
    (role): Row => ({
      name: `messages of a loop's ${role}`,
      reported: "messages",
      // A step that fails is a result that the replanner is shown.
      end: role === "executor" ? "responded" : "failed",
      setup: (messages) => ({
        start: (planloom, { signal }) => planloom.planExecute("?", { ...roles, [role]: { model, messages }, signal }),
      }),
    }),
  ),
  {
    name: "readPlan of a loop's planner",
    reported: "",
    end: "failed",
    setup: (readPlan) => ({
      start: (planloom, { signal }) =>
        planloom.planExecute("?", { ...roles, planner: { model: planning, readPlan }, signal }),
    }),
  },
];

testRows(rows);

describe("replan that gives a nonsense patch", () => {
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error("a trap");
      },
    },
  );
  test.for<[string, unknown]>([
    ["an empty object", {}],
    ["a number", 3],
    ["null", null],
    ["a list", [1]],
    ["fields of other kinds", { patch_id: 1, tasks: "x", removed: 3, renewed: null }],
    ["tasks that are none", { patch_id: "p", tasks: [null, 3, {}], removed: ["a0"], renewed: [] }],
    ["a trap", throwing],
    ["a function", () => {}],
    ["a huge nesting", JSON.parse("[".repeat(5_000) + "]".repeat(5_000))],
  ])("%s is refused, and the run ends with its plan as it was", async ([, patch]) => {
    const events: RunEvent[] = [];
    const result = await run(failingPlan, {
      executors: [toolExecutor([tool, failing])],
      journal: memoryJournal(),
      replan: async () => patch as never,
      replanPolicy: { on: ["failure"] },
      onEvent: (event) => events.push(event),
    });
    expect(result.end_reason).toBe("failed");
    expect(result.results.map(({ task_id, status }) => [task_id, status])).toEqual([["a0", "failed"]]);
    const refusals = events.filter(({ type }) => type === "patch-refuse");
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatchObject({ taskIds: ["a0"], code: expect.stringMatching(/^(refused|failed)$/) });
    expect(unhandled).toEqual([]);
  });
});

/** What calls each method of a journal, beside those that every run calls. */
interface JournalUse {
  /** The code of the error where the method fails. */
  readonly ends: string;
  /** Where it gives nonsense, if that matters though it writes. */
  readonly nonsense?: string;
  readonly setup: (journal: Journal, on: () => void) => Setup;
}

const journalUses: Readonly<Partial<Record<keyof Journal, JournalUse>>> = {
  recordCalls: {
    ends: "RUNTIME_JOURNAL_WRITE",
    setup: (journal, on) => ({
      options: { journal, model },
      start: (planloom, options) => {
        on();
        const asks = { execution_type: "llm", parameters: { uid: "default" }, arguments: { prompt: "?" } };
        return planloom.run(planOf(asks), options);
      },
    }),
  },
  recordNested: {
    ends: "RUNTIME_JOURNAL_WRITE",
    setup: (journal, on) => ({
      options: {
        journal,
        workflows: [defineWorkflow({ id: "w", description: "w", plan: onePlan })],
      },
      start: (planloom, options) => {
        on();
        return planloom.run(planOf({ execution_type: "dsl", parameters: { uid: "w" } }), options);
      },
    }),
  },
  getCalls: {
    ends: "RUNTIME_JOURNAL_READ",
    setup: (journal, on) => ({
      options: { journal, replanPolicy: { on: ["failure"], maxReplans: 1 } },
      start: async (planloom, options) => {
        const { run_id } = await planloom.run(failingPlan, options);
        on();
        return planloom.resume(run_id, options);
      },
    }),
  },
  addRevision: {
    ends: "RUNTIME_JOURNAL_WRITE",
    setup: (journal, on) => ({
      options: { journal },
      start: async (planloom, options) => {
        const { run_id } = await planloom.run(failingPlan, options);
        on();
        const { patch } = draftPatch(failingPlan, {
          tasks: [{ task_id: "b", execution_type: "tool", tool_id: "t", replaces: ["a0"] }],
        });
        await reviseRun(run_id, patch!, { journal, journalTimeoutMs: 100 });
        return { end_reason: "revised" };
      },
    }),
  },
  addAnswer: {
    ends: "RUNTIME_JOURNAL_WRITE",
    setup: (journal, on) =>
      approving(journal, on, Object.assign(Object.create(journal) as Journal, { addAnswers: undefined })),
  },
  addAnswers: {
    ends: "RUNTIME_JOURNAL_WRITE",
    nonsense: "RUNTIME_JOURNAL_READ",
    setup: (journal, on) => approving(journal, on, journal),
  },
};

/** @param answersIn the journal as the person who answers has it. */
function approving(journal: Journal, on: () => void, answersIn: Journal): Setup {
  return {
    options: { journal },
    start: async (planloom, options) => {
      const gated = planOf({ execution_type: "tool", tool_id: "t", approval: "required" });
      const { run_id } = await planloom.run(gated, options);
      on();
      await approve(run_id, "a0", { journal: answersIn, journalTimeoutMs: 100 });
      return { end_reason: "approved" };
    },
  };
}

describe.each(Object.entries(journalUses))("journal.%s", (method, { ends, nonsense, setup }) => {
  const make = (kind: Misbehaviour) => {
    let isOn = false;
    const journal = faultyJournal(method as keyof Journal, kind, () => isOn);
    return setup(journal, () => {
      isOn = true;
    });
  };
  const isWrite = ends.endsWith("WRITE");
  const fails = (kind: Misbehaviour) =>
    kind !== "settles twice" && !(kind === "gives nonsense" && isWrite && nonsense === undefined);

  test.each(Object.keys(misbehaviours) as Misbehaviour[])("that %s", async (kind) => {
    const { end, text, closed } = await outcome(make(kind));
    expect([closed, unhandled]).toEqual(["closed", []]);
    if (fails(kind)) {
      const other = { "never settles": "RUNTIME_JOURNAL_TIMEOUT", "gives nonsense": nonsense ?? ends };
      expect(end).toBe(kind in other ? other[kind as keyof typeof other] : ends);
      expect(text).toContain(`\`${method}\``);
    } else expect(end).toMatch(/^(completed|failed|round_limit|revised|approved)$/);
  });

  test.each(Object.keys(misbehaviours) as Misbehaviour[])("that %s does not hold up an abort", async (kind) => {
    const { end, closed } = await outcome(make(kind), AbortSignal.timeout(20));
    expect(end).not.toBe("hangs");
    expect([closed, unhandled]).toEqual(["closed", []]);
  });
});
