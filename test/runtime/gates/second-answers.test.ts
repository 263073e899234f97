import {
  approve,
  cancelRun,
  defineTool,
  deny,
  type Journal,
  learnBehaviours,
  markTasks,
  memoryJournal,
  pruneRuns,
  recordedPlan,
  replay,
  resume,
  reviseRun,
  run,
  supplyOutput,
  toolExecutor,
  waitingFor,
  waitingRuns,
  whatIf,
} from "@planloom/runtime";
import { describe, expect, test } from "vitest";
import { planOf } from "../../support/run-plans.ts";

const plan = planOf(
  { pay: [] },
  { pay: { approval: "required", tool_id: "bank/pay", arguments: { to: "alice", amount: 100 } } },
);

async function askedOnce() {
  const journal = memoryJournal();
  const paid: unknown[] = [];
  const pay = defineTool({
    id: "bank/pay",
    description: "",
    async execute(input) {
      paid.push(input);
      return "paid";
    },
  });
  const executors = [toolExecutor([pay])];
  await run(plan, { journal, executors, runId: "r" });
  return { journal, paid, executors };
}

const edited = { to: "alice", amount: 1 };

describe("answers of two processes in the same instant", () => {
  /** The journal as a process sees it that is overtaken by `other` once, between what it reads and what it writes. */
  const overtaken = (journal: Journal, other: () => Promise<unknown>): Journal => {
    let turn = 0;
    return {
      ...journal,
      async addAnswers(...given) {
        if (++turn === 1) await other();
        return journal.addAnswers!(...given);
      },
    };
  };

  test("a no stays final beside a yes that did not know of it", async () => {
    const { journal, paid, executors } = await askedOnce();
    const late = overtaken(journal, () => deny("r", "pay", { journal, by: "Ada" }));
    await expect(approve("r", "pay", { journal: late })).rejects.toMatchObject({ code: "RUNTIME_ALREADY_DENIED" });
    expect((await journal.getAnswers("r")).map(({ answer }) => answer)).toEqual(["deny"]);
    await resume("r", { journal, executors });
    expect(paid).toEqual([]);
  });

  test("an edited yes is not undone by one that did not know of it; an equal answer is kept beside the other", async () => {
    const { journal, paid, executors } = await askedOnce();
    const late = overtaken(journal, () => approve("r", "pay", { journal, input: edited, by: "Ada" }));
    await expect(approve("r", "pay", { journal: late })).rejects.toMatchObject({ code: "RUNTIME_ALREADY_ANSWERED" });
    const equal = overtaken(journal, () => approve("r", "pay", { journal, input: edited }));
    await approve("r", "pay", { journal: equal, input: edited });
    expect(await journal.getAnswers("r")).toHaveLength(3);
    await resume("r", { journal, executors });
    expect(paid).toEqual([edited]);
  });

  test("a journal without `addAnswers` keeps them one by one", async () => {
    const { journal } = await askedOnce();
    const { addAnswers: _, ...plain } = journal;
    await approve("r", "pay", { journal: plain });
    expect(await journal.getAnswers("r")).toHaveLength(1);
  });
});

describe("a second answer", () => {
  test("does not undo an edited yes without a word: who edited it is named, and the edit is executed", async () => {
    const { journal, paid, executors } = await askedOnce();
    await approve("r", "pay", { journal, input: edited, by: "Ada" });
    const refused = approve("r", "pay", { journal, by: "Bob" });
    await expect(refused).rejects.toMatchObject({
      code: "RUNTIME_ALREADY_ANSWERED",
      message: expect.stringMatching(/^Ada answered "pay" .* with an edited input.*`replace: true`.*--replace/),
      details: { by: "Ada", input: edited },
    });
    await expect(approve("r", "pay", { journal, input: { ...edited, amount: 2 } })).rejects.toMatchObject({
      code: "RUNTIME_ALREADY_ANSWERED",
    });
    // The same again takes nothing back.
    await approve("r", "pay", { journal, input: edited, by: "Bob" });
    expect((await resume("r", { journal, executors })).end_reason).toBe("completed");
    expect(paid).toEqual([edited]);
  });

  test("takes the place of an edited yes where it says so", async () => {
    const { journal, paid, executors } = await askedOnce();
    await approve("r", "pay", { journal, input: edited, by: "Ada" });
    await approve("r", "pay", { journal, by: "Bob", replace: true });
    await approve("r", "pay", { journal, by: "Eve" });
    await resume("r", { journal, executors });
    expect(paid).toEqual([{ to: "alice", amount: 100 }]);
  });

  test("may edit what was approved as it was, and may be a no after an edit", async () => {
    const { journal, paid, executors } = await askedOnce();
    await approve("r", "pay", { journal, by: "Bob" });
    await approve("r", "pay", { journal, input: edited, by: "Ada" });
    await deny("r", "pay", { journal, by: "Eve", note: "not now." });
    const result = await resume("r", { journal, executors });
    expect(result.results[0]?.error).toMatchObject({
      message: "Eve said no to it: not now.",
      details: { by: "Eve", note: "not now." },
    });
    expect(paid).toEqual([]);
  });
});

test("a no without a name or a note is reported as one", async () => {
  const { journal, executors } = await askedOnce();
  await deny("r", "pay", { journal });
  const { results } = await resume("r", { journal, executors });
  expect(results[0]?.error?.message).toBe("A person said no to it.");
});

describe("an option that there is none of is refused", () => {
  type Call = (options: object) => unknown;
  const calls: Record<string, Call> = {
    approve: (options) => approve("r", "pay", options as never),
    deny: (options) => deny("r", "pay", options as never),
    supplyOutput: (options) => supplyOutput("r", "pay", 1, options as never),
    waitingFor: (options) => waitingFor("r", options as never),
    waitingRuns: (options) => waitingRuns(options as never),
    cancelRun: (options) => cancelRun("r", options as never),
    pruneRuns: (options) => pruneRuns({ keep: 1, ...options } as never),
    markTasks: (options) => markTasks("r", ["pay"], options as never),
    recordedPlan: (options) => recordedPlan("r", options as never),
    reviseRun: (options) => reviseRun("r", {} as never, options as never),
    replay: (options) => replay("r", options as never),
  };

  test.for(Object.entries(calls))("%s", async ([name, call]) => {
    const { journal } = await askedOnce();
    const refused = async (options: object) => {
      const error = await (async () => call(options))().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
      return (error as Error).message;
    };
    expect(await refused({ journal, expiresAfterMs: 5 })).toContain(`Unknown option \`expiresAfterMs\` of \`${name}\``);
    expect(await refused({ jornal: journal })).toContain("did you mean `journal`?");
    expect(await refused({})).toContain(`Expected \`journal\` of \`${name}\` to be a journal`);
    expect(await journal.getAnswers("r")).toEqual([]);
    expect((await journal.getRun("r")).status).toBe("waiting_approval");
  });

  test.for([
    [{ inptu: edited }, "did you mean `input`?"],
    [{ by: "" }, "Expected `by` of `approve` to be a text that is not empty"],
    [{ by: 5 }, "Expected `by` of `approve` to be a text that is not empty"],
    [{ note: 5 }, "Expected `note` of `approve` to be a text"],
    [{ replace: "yes" }, "Expected `replace` of `approve` to be true or false"],
  ] as const)("approve with %j", async ([options, text]) => {
    const { journal } = await askedOnce();
    const given = { journal, ...options } as never;
    await expect(approve("r", "pay", given)).rejects.toMatchObject({
      code: "RUNTIME_INVALID_OPTION",
      message: expect.stringContaining(text),
    });
    expect(await journal.getAnswers("r")).toEqual([]);
  });

  test("no options at all, and those of estimates", async () => {
    const none = undefined as never;
    await expect(approve("r", "pay", none)).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
    await expect(learnBehaviours(memoryJournal(), { run: 3 } as never)).rejects.toThrow("did you mean `runs`?");
    expect(() => whatIf(plan, { executors: [], sample: 3 } as never)).toThrow("did you mean `samples`?");
  });
});
