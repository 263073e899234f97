import { defineTool, Planloom, PlanloomErrorCode, PlannerErrorCode, type PlanQuestion, type TaskData } from "planloom";
import { expect, test } from "vitest";

const text = (description = "") => ({ type: "string", description }) as const;
const called: unknown[] = [];
const tool = (
  id: string,
  description: string,
  properties: Record<string, object>,
  required = Object.keys(properties),
) =>
  defineTool({
    id,
    description,
    readOnly: true,
    input: { type: "object", properties, required, additionalProperties: false },
    execute: (input) => {
      called.push(input);
      return "done";
    },
  });
const tools = [
  tool(
    "hub/list_issues",
    "List the issues of a repository",
    {
      owner: text("Account that owns the repository"),
      repo: text("Name of the repository"),
      state: { enum: ["open", "closed"] },
      limit: { type: "integer", minimum: 1, maximum: 100 },
      labels: { type: "array", items: { type: "string" } },
    },
    ["owner", "repo", "state"],
  ),
  tool("vault/rotate", "Rotate the keys of a vault", { vault: text(), access_token: text("Proves who calls") }),
];
const planloom = new Planloom({ tools, now: "2026-11-22T10:00:00Z", timeZone: "Europe/Berlin" });
const goal = "List the closed issues of facebook/react";
const questionsOf = ({ metadata }: TaskData) => (metadata?.questions ?? []) as readonly PlanQuestion[];
const coded = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error as { code: string; message: string; details: Record<string, unknown> };
  }
  throw new Error("Nothing was thrown.");
};

/** A draft of one task with what `given` says. */
const draftOf = (given: Record<string, unknown>, tool_id = "hub/list_issues"): TaskData => {
  const task_id = tool_id.split("/")[1] ?? "";
  const open = { planned_tasks: [{ task_id, execution_type: "tool", tool_id, arguments: given }] };
  return planloom.answer({ ...open, task_input_data: { goal } } as unknown as TaskData, {});
};

test("a plan that lacks arguments alone is kept as a draft, with its questions; plan refuses it, and run names them", async () => {
  const draft = await planloom.draft("List the closed issues");
  const questions = questionsOf(draft);
  expect(questions.map(({ name, type }) => [name, type])).toEqual([
    ["list_issues.owner", "string"],
    ["list_issues.repo", "string"],
  ]);
  expect(questions[0]).toMatchObject({
    task_id: "list_issues",
    argument_path: "owner",
    tool: "hub/list_issues",
    description: "Account that owns the repository",
  });
  expect(planloom.questions(draft)).toEqual(questions);

  const refused = await planloom.plan("List the closed issues").catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: PlannerErrorCode.OPEN_QUESTIONS,
    details: { questions, draft: { metadata: { questions } } },
  });

  const unrun = await planloom.run(draft).catch((error: unknown) => error);
  expect(unrun).toMatchObject({
    code: PlanloomErrorCode.OPEN_QUESTIONS,
    message: expect.stringContaining("list_issues.owner (string), list_issues.repo (string)"),
    details: { questions },
  });
  expect(called).toEqual([]);
});

test("a task of which nothing is known is asked about too, rather than run empty", async () => {
  const draft = await planloom.draft("List the issues");
  expect(draft.planned_tasks[0]?.arguments).toEqual({});
  expect(questionsOf(draft).map(({ name }) => name)).toEqual([
    "list_issues.owner",
    "list_issues.repo",
    "list_issues.state",
  ]);
  await expect(planloom.run(draft)).rejects.toMatchObject({ code: PlanloomErrorCode.OPEN_QUESTIONS });
});

test("a task of a file without arguments and without words is asked about; a misspelt name of them is an error", async () => {
  const silent = { task_id: "list", tool_id: "list_issues" };
  const plan = { task_id: "p", planned_tasks: [silent] };
  expect(planloom.validate(plan).filter(({ severity }) => severity === "error")).toHaveLength(3);
  const misspelt = {
    ...plan,
    planned_tasks: [{ ...silent, description: "List the issues", argumnts: { owner: "me" } }],
  };
  expect(planloom.validate(misspelt)).toContainEqual(
    expect.objectContaining({ code: "unknown_field", severity: "error", argument_path: "argumnts" }),
  );
  expect(called).toEqual([]);
});

test("what is no goal is refused as such", async () => {
  for (const goal of [undefined, null, 42, []])
    await expect(planloom.run(goal as never)).rejects.toMatchObject({ code: "PLANNER_INPUT_INVALID" });
});

test("of a plan that nobody asked for in words, its title is no suggestion", () => {
  const { metadata: _, ...draft } = draftOf({ repo: "react" });
  const file = planloom.answer({ ...draft, task_input_data: {}, title: "plan-7.json" } as TaskData, {});
  expect(questionsOf(file)[0]?.name).toBe("list_issues.owner");
  expect(questionsOf(file)[0]).not.toHaveProperty("suggestions");
});

test("answers complete the plan, which is validated and runs; the draft is left as it was", async () => {
  const draft = await planloom.draft("List the closed issues");
  const before = JSON.stringify(draft);
  const half = planloom.answer(draft, { "list_issues.owner": "facebook" });
  expect(questionsOf(half).map(({ name }) => name)).toEqual(["list_issues.repo"]);
  const plan = planloom.answer(half, { "list_issues.repo": "react", "list_issues.limit": 5 });
  expect(plan.metadata).not.toHaveProperty("questions");
  expect(plan.metadata).not.toHaveProperty("unresolved");
  expect(plan.metadata?.provenance).toMatchObject({ list_issues: { owner: { source: "answer" } } });
  expect(plan.task_id).toBe(draft.task_id);
  expect(JSON.stringify(draft)).toBe(before);
  expect((await planloom.run(plan)).end_reason).toBe("completed");
  expect(called.splice(0)).toEqual([{ owner: "facebook", repo: "react", state: "closed", limit: 5 }]);
});

test("choices are those of the schema; suggestions fit, come from the goal, and are not what the task has already", () => {
  const [owner, state] = questionsOf(draftOf({ repo: "react" }));
  expect(state?.choices).toEqual(["open", "closed"]);
  expect(owner?.suggestions?.[0]).toBe("facebook");
  expect(owner?.suggestions).not.toContain("react");
  expect(owner).not.toHaveProperty("choices");
});

test("what the goal leaves out is not suggested", () => {
  const asked = (text: string) => {
    const open = {
      planned_tasks: [{ task_id: "t", execution_type: "tool", tool_id: "hub/list_issues", arguments: {} }],
    };
    const draft = planloom.answer({ ...open, task_input_data: { goal: text } } as unknown as TaskData, {});
    return questionsOf(draft).find(({ argument_path }) => argument_path === "repo")?.suggestions ?? [];
  };
  expect(asked("List the closed issues, web-7 first")).toContain("web-7");
  for (const text of ["List all issues but web-7", "List the issues, not of web-7", "List issues except for web-7"])
    expect(asked(text)).not.toContain("web-7");
});

test("an unknown name is refused with the nearest one, a value that does not fit with why", () => {
  const draft = draftOf({ repo: "react", state: "open" });
  const misspelt = coded(() => planloom.answer(draft, { "list_issues.ownr": "facebook" }));
  expect([misspelt.code, misspelt.message]).toEqual([
    PlannerErrorCode.ANSWER_INVALID,
    expect.stringContaining('Did you mean "list_issues.owner"?'),
  ]);
  expect(coded(() => planloom.answer(draft, { owner: "facebook" })).details.candidates).toContain("list_issues.owner");
  const tooMany = coded(() => planloom.answer(draft, { "list_issues.limit": 500 }));
  expect([tooMany.code, tooMany.message]).toEqual([PlannerErrorCode.ANSWER_INVALID, expect.stringContaining("100")]);
  const dangling = coded(() => planloom.answer(draft, { "list_issues.owner": "${nobody.name}" }));
  expect([dangling.code, dangling.message]).toEqual([
    PlannerErrorCode.ANSWER_INVALID,
    expect.stringContaining("nobody"),
  ]);
});

test.each([
  ["owner", "42", "42"],
  ["owner", "true", "true"],
  ["owner", "${HOME}", "$${HOME}"],
  ["limit", "42", 42],
  ["labels", "bug, help wanted", ["bug", "help wanted"]],
  ["labels", '["bug"]', ["bug"]],
  ["state", "closed", "closed"],
])("what is typed for %s, %s, is read by its type", (argument, typed, value) => {
  const plan = planloom.answer(draftOf({ repo: "react" }), { [`list_issues.${argument}`]: typed }, { asText: true });
  expect(plan.planned_tasks[0]?.arguments[argument]).toEqual(value);
});

test("a credential is asked for as a secret, never kept as text", () => {
  const draft = draftOf({ vault: "main" }, "vault/rotate");
  const [question] = questionsOf(draft);
  expect(question).toMatchObject({ name: "rotate.access_token", secret: true });
  expect(question).not.toHaveProperty("suggestions");
  for (const options of [{}, { asText: true }]) {
    const refused = coded(() => planloom.answer(draft, { "rotate.access_token": "hunter2-hunter2" }, options));
    expect(refused.code).toBe(PlannerErrorCode.ANSWER_INVALID);
    expect(refused.message).toContain('{"$secret": "NAME"}');
    expect(JSON.stringify(refused)).not.toContain("hunter2");
  }
  const answers = { "rotate.access_token": '{"$secret": "VAULT"}' };
  expect(planloom.answer(draft, answers, { asText: true }).planned_tasks[0]?.arguments).toEqual({
    vault: "main",
    access_token: { $secret: "VAULT" },
  });
});
