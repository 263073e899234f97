import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Resource, resourceCatalogue } from "@planloom/plan";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { countedCalls } from "../support/counted-calls.ts";
import { repository, temporaryHome } from "../support/run-cli.ts";

// A plan is judged at the first door it comes to, and again only where it was changed since.

const counted = countedCalls({
  validatePlan: new URL("../../packages/plan/src/validation/validate-plan.ts", import.meta.url),
  validateStep: new URL("../../packages/plan/src/validation/validate-value.ts", import.meta.url),
});
afterAll(() => counted[Symbol.dispose]());
const { defineTool, Planloom, TaskData } = await counted.load<typeof import("planloom")>("planloom");
const { scriptedController } = await counted.load<typeof import("planloom/testing")>("planloom/testing");
const { bindWith, judgePlan, keepVerdict } =
  await counted.load<typeof import("@planloom/planner")>("@planloom/planner");
const { run, toolExecutor } = await counted.load<typeof import("@planloom/runtime")>("@planloom/runtime");
const { runCliHere } = await counted.load<typeof import("../support/run-cli.ts")>("./run-cli.ts");
const { validatePlan: judgedPlans, validateStep: judgedSteps } = counted.calls;
beforeEach(() => {
  judgedPlans.mockClear();
  judgedSteps.mockClear();
});

const text = { type: "string" };
const tool = (id: string, properties: Record<string, object>) =>
  defineTool({
    id,
    description: id,
    readOnly: true,
    input: { type: "object", properties, required: Object.keys(properties) },
    output: { type: "object", properties: { name: text, tags: { type: "array", items: text } } },
    execute: () => ({ name: "Ada", tags: ["a"] }),
  });
const tools = [tool("find", { name: text }), tool("send", { to: text, tags: { type: "array", items: text } })];
const tasks = () => [
  { task_id: "a", execution_type: "tool", tool_id: "find", arguments: { name: "Ada" } },
  {
    task_id: "b",
    execution_type: "tool",
    tool_id: "send",
    arguments: { to: "${a.name}", tags: ["${a.name}", "x"] },
  },
];
const wired = () =>
  new Planloom({ controller: scriptedController([{ phase1: { success: true, data: tasks() } }]), tools });
const plan = () => TaskData.parse({ planned_tasks: tasks(), variables: { year: 2026 } });

describe("how often a plan is judged", () => {
  test("planned, looked at and run: once", async () => {
    await using planloom = wired();
    const made = await planloom.plan("Find Ada and send it to her");
    expect(planloom.validate(made)).toEqual([]);
    const { end_reason } = await planloom.run(made);
    expect(end_reason).toBe("completed");
    expect(judgedPlans).toHaveBeenCalledTimes(1);
  });

  test("handed in, looked at and run: once, also with values that it has already", async () => {
    await using planloom = wired();
    const given = plan();
    planloom.validate(given);
    await planloom.run(given, { variables: { year: 2026 } });
    expect(judgedPlans).toHaveBeenCalledTimes(1);
  });

  test("handed in and run: once", async () => {
    await using planloom = wired();
    await planloom.run(plan());
    expect(judgedPlans).toHaveBeenCalledTimes(1);
  });

  test("run with other values, for which it was not judged: again", async () => {
    await using planloom = wired();
    const given = plan();
    planloom.validate(given);
    await planloom.run(given, { variables: { year: 2027 } });
    expect(judgedPlans).toHaveBeenCalledTimes(2);
  });
});

describe("a verdict is of the plan that was judged, and of no other", () => {
  test("a copy, which could have been changed on its way, is judged", async () => {
    await using planloom = wired();
    const given = plan();
    planloom.validate(given);
    planloom.validate(structuredClone(given));
    planloom.validate({ ...given });
    expect(judgedPlans).toHaveBeenCalledTimes(3);
  });

  test("a plan that was changed after it was judged is judged, and refused", async () => {
    await using planloom = wired();
    const made = await planloom.plan("Find Ada and send it to her");
    made.planned_tasks[1]!.tool_id = "delete_everything";
    await expect(planloom.run(made)).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
  });

  test("whatever is changed, and wherever", () => {
    const planloom = wired();
    const places = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
      typeof value !== "object" || value === null
        ? [path]
        : Object.entries(value).flatMap(([key, each]) => places(each, [...path, key]));
    const all = places(plan());
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.jsonValue(), (path, value) => {
        const given = plan();
        planloom.validate(given);
        judgedPlans.mockClear();
        let holder = given as unknown as Record<string, unknown>;
        for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
        const key = path.at(-1)!;
        const same = Object.is(holder[key], value);
        holder[key] = value;
        planloom.validate(given);
        expect(judgedPlans).toHaveBeenCalledTimes(same ? 0 : 1);
      }),
    );
  });

  test.each([
    ["a value that says another thing as JSON", { toJSON: () => "Ada" }],
    ["a function", () => "Ada"],
    ["an instance of a class", new Map([["name", "Ada"]])],
  ])("%s in it: judged at every door", (_name, value) => {
    const planloom = wired();
    const given = { ...plan(), metadata: { note: value } };
    planloom.validate(given);
    planloom.validate(given);
    expect(judgedPlans).toHaveBeenCalledTimes(2);
  });

  test("where a tool went away, the plan that names it is judged and refused", async () => {
    const both = toolExecutor(tools);
    const one = toolExecutor(tools.slice(0, 1));
    let executor = both;
    const changing = { ...both, kind: "tool" as const, resources: () => executor.resources(), execute: both.execute };
    await using planloom = new Planloom({ executors: [changing] });
    const given = plan();
    expect(planloom.validate(given)).toEqual([]);
    executor = one;
    await expect(planloom.run(given)).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
  });

  const [known] = toolExecutor(tools).resources();
  const llm: Resource = { kind: "llm", id: "default", description: "Answers", input_schema: { required: ["prompt"] } };
  const more: Resource = { kind: "tool", id: "more", description: "More" };
  const open = { task_id: "a", execution_type: "", parameters: { uid: "default" }, arguments: { name: "Ada" } };
  test.each([
    ["a kind that had none", [tasks()[0]], [known!, llm], 1],
    ["a kind that had some", [tasks()[0]], [known!, more], 2],
    ["a kind that had none, where a task leaves open who executes it", [open], [known!, llm], 2],
  ])("with another resource of %s", (_name, planned_tasks, resources, times) => {
    const given = TaskData.parse({ planned_tasks });
    keepVerdict(given, [known!], judgePlan(given, resourceCatalogue([known!])));
    judgePlan(given, resourceCatalogue(resources));
    expect(judgedPlans).toHaveBeenCalledTimes(times);
  });

  test("a plan with an error is judged every time", () => {
    const planloom = wired();
    const given = { ...plan(), planned_tasks: [{ ...plan().planned_tasks[0]!, tool_id: "nobody" }] };
    expect(planloom.validate(given)).toMatchObject([{ code: "unknown_tool" }]);
    expect(planloom.validate(given)).toMatchObject([{ code: "unknown_tool" }]);
    expect(judgedPlans).toHaveBeenCalledTimes(2);
  });
});

describe("how often a step is judged", () => {
  test("settled by Stage 2 and executed: once", async () => {
    await using planloom = wired();
    const { end_reason } = await planloom.run(plan());
    expect(end_reason).toBe("completed");
    expect(judgedSteps).toHaveBeenCalledTimes(2);
  });

  const executors = [toolExecutor(tools)];
  const bind = bindWith({ controller: scriptedController([]), resources: executors[0]!.resources() });

  test("changed after Stage 2 judged it: again, and refused", async () => {
    const { results } = await run(plan(), {
      executors,
      bind: async (request, options) => {
        const step = await bind(request, options);
        if (Array.isArray(step.input_data.tags)) step.input_data.tags.push(7);
        return step;
      },
    });
    expect(results[1]).toMatchObject({ status: "failed", error: { code: "TASK_INVALID_INPUT" } });
  });

  test("handed to another tool than the one it was judged for: again, and refused", async () => {
    const { results } = await run(plan(), {
      executors,
      bind: async (request, options) => Object.assign(await bind(request, options), { uid: "send" }),
    });
    expect(results[0]).toMatchObject({ status: "failed", error: { code: "TASK_INVALID_INPUT" } });
  });
});

describe("on the command line", () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>;
  beforeAll(async () => {
    home = await temporaryHome();
    const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
    await writeFile(
      join(home.path, "planloom.config.mjs"),
      `import { defineTool } from ${library};
      export default { tools: [defineTool({ id: "notes", description: "List notes", readOnly: true,
        input: { type: "object", properties: { author: { type: "string" } }, required: ["author"] }, execute: () => [] })] };`,
    );
    const task = { task_id: "a", execution_type: "tool", tool_id: "notes", arguments: { author: "${who}" } };
    await writeFile(join(home.path, "plan.json"), JSON.stringify({ planned_tasks: [task], variables: { who: "Ada" } }));
  });
  afterAll(() => home.remove());
  const cli = (...args: string[]) =>
    runCliHere([...args, "--config", join(home.path, "planloom.config.mjs"), "--json"], home.env);

  test("run GOAL: once", async () => {
    expect(await cli("run", "List notes by Ada")).toMatchObject({ code: 0, stderr: "" });
    expect(judgedPlans).toHaveBeenCalledTimes(1);
  });

  test("run FILE --var: once", async () => {
    const result = await cli("run", join(home.path, "plan.json"), "--var", "who=Grace");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(judgedPlans).toHaveBeenCalledTimes(1);
  });
});
