import { defineAgent, defineExecutor, defineTool, Planloom, type Resource, TaskData } from "planloom";
import { run, toolExecutor } from "planloom/runtime";
import { describe, expect, test } from "vitest";

const plan = TaskData.parse({ planned_tasks: [{ task_id: "t", execution_type: "tool", tool_id: "door" }] });

/** A resource as a program without types may write it. */
const offering = (declared: Readonly<Record<string, unknown>>) => {
  const resources = [{ kind: "tool", id: "door", description: "A door", ...declared } as Resource];
  return defineExecutor({ kind: "tool", resources: () => resources, execute: async () => "done" });
};

/** Whether a person is asked about a call of it. */
async function isAsked(declared: Readonly<Record<string, unknown>>): Promise<boolean> {
  await using planloom = new Planloom({ executors: [offering(declared)], confirm: "writes" });
  const { end_reason } = await planloom.run(plan);
  return end_reason === "waiting_approval";
}

describe("a custom executor says in any of the usual words what a call does", () => {
  test.for<[string, Readonly<Record<string, unknown>>, boolean]>([
    ["nothing", {}, true],
    ["read_only", { read_only: true }, false],
    ["readOnly", { readOnly: true }, false],
    ["readOnlyHint", { readOnlyHint: true }, false],
    ["the annotations of MCP", { annotations: { title: "Door", readOnlyHint: true, openWorldHint: false } }, false],
    ["that it writes", { readOnly: false }, true],
    ["the same twice", { read_only: true, annotations: { readOnlyHint: true } }, false],
    [
      "a hint that has no meaning for what only reads",
      { annotations: { readOnlyHint: true, destructiveHint: true } },
      false,
    ],
    ["a field that is about something else", { readOnly: true, owner: "facilities" }, false],
  ])("%s", async ([, declared, asked]) => {
    expect(await isAsked(declared)).toBe(asked);
  });

  test.for(["destructive", "destructiveHint"])("%s asks where writes are let through", async (word) => {
    await using planloom = new Planloom({ executors: [offering({ [word]: true })], confirm: "destructive" });
    expect((await planloom.run(plan)).end_reason).toBe("waiting_approval");
  });

  test("the resource stays the same object, so that nothing seems to have changed", async () => {
    await using planloom = new Planloom({ executors: [offering({ readOnly: true })] });
    const [resource] = planloom.resources;
    expect(resource).toMatchObject({ read_only: true, readOnly: true });
    expect(planloom.resources[0]).toBe(resource);
  });
});

describe("a word that nothing reads is refused", () => {
  test.for<[string, Readonly<Record<string, unknown>>, string]>([
    ["misspelt", { readonly: true }, "unknown field `readonly`: did you mean `read_only`?"],
    ["with a dash", { "read-only": true }, "did you mean `read_only`?"],
    [
      "misspelt hint",
      { annotations: { readOnlyHints: true } },
      "unknown field `annotations.readOnlyHints`: did you mean `annotations.readOnlyHint`?",
    ],
    ["misspelt, of destruction", { destructve: true }, "did you mean `destructive`?"],
    ["no boolean", { read_only: "true" }, 'Expected `read_only` of resource "door" to be true or false, got'],
    [
      "contradiction",
      { read_only: true, readOnly: false },
      "`read_only: true` and `readOnly: false`, which contradict each other",
    ],
    [
      "something that changes nothing and destroys",
      { readOnly: true, destructive: true },
      "`readOnly: true` and `destructive: true`, which contradict each other",
    ],
    [
      "the same in the words of records",
      { read_only: true, destructive: true },
      "`read_only: true` and `destructive: true`, which contradict each other",
    ],
  ])("%s", async ([, declared, message]) => {
    await using planloom = new Planloom({ executors: [offering(declared)] });
    const running = planloom.run(plan);
    await expect(running).rejects.toThrow(message);
    await expect(running).rejects.toMatchObject({ code: "PLAN_OPTION" });
    await expect(run(plan, { executors: [offering(declared)] })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_DEFINITION",
      message: expect.stringContaining(message),
    });
  });

  test("by defineTool too, and in a definition made by hand", async () => {
    const define = (declared: object) => () =>
      defineTool({ id: "door", description: "A door", execute: () => 1, ...declared });
    expect(define({ readonly: true })).toThrow("did you mean `readOnly`?");
    expect(define({ read_only: true })).toThrow("did you mean `readOnly`?");
    expect(define({ annotations: { readOnlyHint: true } })).toThrow("Unknown option `annotations`");
    expect(define({ readOnly: true, destructive: true })).toThrow("`readOnly` or `destructive`, got both");
    const agent = {
      id: "a",
      description: "",
      readOnly: true,
      destructive: true,
      send: () => ({ success: true }) as const,
    };
    expect(() => defineAgent(agent)).toThrow(expect.objectContaining({ code: "RUNTIME_INVALID_DEFINITION" }));
    const byHand = { resource: { kind: "tool", id: "door", description: "", readonly: true }, execute: () => 1 };
    await using planloom = new Planloom({ executors: [toolExecutor([byHand as never])] });
    await expect(planloom.run(plan)).rejects.toThrow("did you mean `read_only`?");
  });
});
