import { EmbeddedController, planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, validatePlan } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { describe, expect, test } from "vitest";
import { text, tool as toolRecord } from "../support/tool-records.ts";

const tool = (
  id: string,
  description: string,
  properties: Record<string, JsonSchema>,
  required: string[],
  output?: Record<string, JsonSchema>,
) => toolRecord(id, description, properties, output, required);

const flag = (description: string): JsonSchema => ({ type: "boolean", description, default: false });
const cluster = tool(
  "manage_node",
  "Cordon, drain or uncordon a node of the cluster",
  {
    operation: { type: "string", enum: ["cordon", "drain", "uncordon"] },
    nodeName: text("Name of the node to operate on"),
    confirmDrain: flag("Explicit confirmation to drain the node (required for drain operation)"),
    force: flag("Force the operation even if there are pods not managed by a controller"),
  },
  ["operation"],
);
const rollout = tool(
  "rollout",
  "Manage the rollout of a resource",
  {
    subCommand: { type: "string", enum: ["status", "restart"] },
    name: text("Name of the resource"),
    namespace: text("Namespace of the resource"),
    watch: flag("Watch the rollout status of the resource"),
    createNamespace: flag("Create namespace if it does not exist"),
  },
  ["subCommand", "name"],
);
const login = tool("login", "Log in to the shop", { user: text("Name of the user"), password: text() }, [
  "user",
  "password",
]);
const argumentsOf = (goal: string, resources: readonly Resource[], at = -1) =>
  planGoal(goal, resources).plan.planned_tasks.at(at)?.arguments;

describe("switches", () => {
  test.for([
    ["Drain node worker-3", { operation: "drain", nodeName: "worker-3" }],
    ["Drain node worker-3 and confirm the drain", { confirmDrain: true }],
    ["Force the drain of node worker-3", { force: true }],
  ] as const)("%s", ([goal, expected]) => {
    const given = argumentsOf(goal, [cluster]);
    expect(given).toMatchObject(expected);
    for (const name of ["confirmDrain", "force"]) expect(given?.[name] === true, name).toBe(name in expected);
  });

  test("words of the call and of its other arguments mention no switch", () => {
    const given = argumentsOf("Check the rollout status of web in the namespace infra", [rollout, cluster]);
    for (const name of ["watch", "createNamespace"]) expect(given?.[name] === true, name).toBe(false);
    expect(argumentsOf("Watch the rollout status of web", [rollout, cluster])).toMatchObject({ watch: true });
  });
});

describe("credentials", () => {
  test.for([
    ["password", "Log in as maria with the password hunter2"],
    ["password", "Log in as maria with hunter2"],
  ])("no text of a goal becomes the %s: %s", ([name, goal]) => {
    const { plan, unresolved } = planGoal(goal!, [login, cluster]);
    expect(JSON.stringify(plan.planned_tasks.map((task) => task.arguments))).not.toContain("hunter2");
    expect(unresolved).toContainEqual(
      expect.objectContaining({ reason: "missing_argument", text: name, message: expect.stringContaining("$secret") }),
    );
  });

  test.for([
    ["api_key", {}, true],
    ["apiKey", {}, true],
    ["access_token", {}, true],
    ["token", {}, true],
    ["authorization", {}, true],
    ["client_secret", {}, true],
    ["pin", { format: "password" }, true],
    ["phrase", { writeOnly: true }, true],
    ["page_token", {}, false],
    ["sort_key", {}, false],
    ["secret_santa", {}, false],
  ] as const)("%s %o: a credential is %s", ([name, more, expected]) => {
    const probe = tool("store", "Store a value", { [name]: { type: "string", ...more } }, []);
    const said = argumentsOf(`Store the value with ${name} "abc123"`, [probe]);
    expect(said !== undefined && Object.hasOwn(said, name)).toBe(!expected);
  });

  test("what another task gives may be one", () => {
    const grant = tool("create_session", "Create a session", { user: text() }, ["user"], { session_token: text() });
    const use = tool("list_orders", "List orders", { session_token: text() }, ["session_token"]);
    const { plan } = planGoal("Create a session for the user maria, then list orders", [grant, use]);
    expect(plan.planned_tasks.at(-1)?.arguments).toMatchObject({ session_token: "${create_session.session_token}" });
  });

  test("a setting of the job is no credential either", () => {
    const job = { job_goal: "Log in", job_steerability_data: { password: "hunter2" } };
    expect(JSON.stringify(planGoal(job, [login]).plan.planned_tasks)).not.toContain("hunter2");
  });
});

test("a missing choice is left open and reported, whatever is sent back", async () => {
  const close = tool(
    "close_ticket",
    "Close a ticket",
    { id: text(), reason: { type: "string", enum: ["resolved", "duplicate", "spam"] } },
    ["id", "reason"],
  );
  const planner = new Planner({ controller: new EmbeddedController(), resources: [close] });
  const planned = planner.createPlan("Close ticket 12");
  await expect(planned).rejects.toThrow(/reason/);
  const { plan } = planGoal("Close ticket 12", [close]);
  const [issue] = validatePlan({ ...plan, task_id: "p" } as never, [close]);
  expect(issue).toMatchObject({ code: "missing_argument", repair: { operation: "add" } });
  const reply = await new EmbeddedController().processPhase2({
    search_id: "s",
    phase_2_data: { task_input_data: "Close ticket 12" },
    task: { description: "Close ticket 12", execution_type: "tool" },
    resources: [close],
    input: { id: "12" },
    feedback: [{ answer: "", issues: [{ ...issue, task_id: undefined }] }],
  } as never);
  expect(JSON.stringify(reply)).not.toMatch(/"reason":"(?:resolved|duplicate|spam)"/);
});

test("a task without words is bound to nothing: the prompt describes the tools, and its words are no values", async () => {
  const order = tool("order_part", "Order a part", { part_id: text(), note: text() }, ["part_id"]);
  const ask = async (task: object) =>
    new EmbeddedController().processPhase2({
      search_id: "s",
      phase_2_data: { task_input_data: `Task: ${JSON.stringify(task)}. Tools: ${JSON.stringify(order)}` },
      task: { execution_type: "tool", ...task },
      resources: [order],
      input: {},
    } as never);
  for (const task of [{}, { description: " " }, { description: "", instructions: "" }])
    expect(await ask(task)).toMatchObject({ success: true, data: { input_data: {} } });
});

test("a task without any argument is judged by what it could not use", () => {
  const bases = tool("list_bases", "List all bases", {}, [], { bases: { type: "array", items: { type: "object" } } });
  const send = tool("send_mail", "Send a mail", { to: text(), body: text() }, ["to", "body"]);
  const sure = planGoal("List all bases", [bases, send]).plan.metadata?.confidence;
  const guess = planGoal("Give Tom access to the base appCRM", [bases, send]).plan;
  expect(sure).toBeGreaterThan(0.6);
  if (guess.planned_tasks.length > 0) expect(guess.metadata?.confidence).toBeLessThan(0.4);
});
