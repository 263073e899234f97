import type { AttemptFeedback, Phase1Request, Phase2Request } from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import type { PlannerTaskInput, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { freightResources } from "../support/freight-resources.ts";

const controller = new EmbeddedController({ now: "2025-10-12T06:00:00.000Z", timeZone: "UTC" });
const data = (text: string) => ({ task_input_data: text, n_history_samples: 0, llm_data: {} });
const phase1 = (text: string, more: Partial<Phase1Request> = {}): Phase1Request => ({
  search_id: "one",
  phase_1_data: data(text),
  resources: freightResources,
  ...more,
});
const tasksOf = (reply: { data?: unknown }) => (reply.data as { planned_tasks: PlannerTaskInput[] }).planned_tasks;

describe("phase 1", () => {
  test("plans the structured job rather than the prompt around it", async () => {
    const reply = await controller.processPhase1(
      phase1("You are a planner. Get inspections.", { job: { job_goal: "Get facilities in Berlin" } }),
    );
    expect(reply.success).toBe(true);
    expect(tasksOf(reply).map((task) => task.arguments)).toEqual([{ location: "Berlin" }]);
    expect(reply.issues).toEqual([]);
  });

  test("plans the text when there is no job", async () => {
    expect(
      tasksOf(await controller.processPhase1(phase1("Get facilities in Berlin"))).map((task) => task.tool_id),
    ).toEqual(["facilities_list"]);
  });

  test("says what it did not plan, as warnings", async () => {
    const reply = await controller.processPhase1(phase1("Get shipments going to Hannover"));
    expect(reply.success).toBe(true);
    // Words that no argument took make the plan a proposal.
    expect(reply.issues).toEqual([
      expect.objectContaining({ code: "proposal", severity: "warning" }),
      {
        code: "unresolved",
        severity: "warning",
        actual: "to Hannover",
        task_id: "shipments_list",
        message: '`shipments_list` has no parameter for "to Hannover"; the result is not narrowed down by it.',
      },
    ]);
  });

  test.for([
    {
      name: "a goal about nothing known",
      goal: "Bake a chocolate cake",
      expected: /No resource fits "Bake a chocolate cake".*`shipments_list`[^;]*$/s,
    },
    {
      name: "a goal in German",
      goal: "Zeige mir alle Kuchen in Berlin",
      expected: /No resource fits "Zeige mir.*Available: `shipments_list`.*The embedded planner reads English;/s,
    },
    {
      name: "a goal in another script",
      goal: "显示柏林的设施",
      expected: /The embedded planner reads English;/,
    },
    { name: "an empty goal", goal: "", expected: /asks for nothing.*Available: `shipments_list`/s },
    { name: "a change that no resource makes", goal: "Delete the inspections", expected: /only serves to read/ },
  ])("$name is a clear failure", async ({ goal, expected }) => {
    const reply = await controller.processPhase1(phase1(goal));
    expect(reply).toMatchObject({ success: false });
    expect(reply.message).toMatch(expected);
    expect(reply.issues?.[0]?.severity).toBe("error");
    // Where attempts are listed, the issues are what is shown.
    expect(reply.issues?.map((each) => each.message).join(" ")).toMatch(expected);
  });

  test("no resources is a clear failure", async () => {
    const reply = await controller.processPhase1(phase1("Get shipments", { resources: [] }));
    expect(reply).toMatchObject({ success: false });
    expect(reply.message).toMatch(/no resources to plan with/);
  });

  test("takes the repairs of the last attempt and never repeats a wrong plan", async () => {
    const first = await controller.processPhase1(phase1("Get facilities in Berlin"));
    const issue = {
      code: "invalid_argument" as const,
      severity: "error" as const,
      message: "location must be one of the known cities",
      task_id: "facilities_list",
      argument_path: "location",
      repair: { operation: "replace" as const, candidates: ["BERLIN"] },
    };
    const feedback: AttemptFeedback[] = [{ attempt: 1, issues: [issue], answer: JSON.stringify(first.data) }];
    const second = await controller.processPhase1(phase1("Get facilities in Berlin", { feedback }));
    expect(tasksOf(second).map((task) => task.arguments)).toEqual([{ location: "BERLIN" }]);

    feedback.push({ attempt: 2, issues: [issue], answer: JSON.stringify(second.data) });
    const third = await controller.processPhase1(phase1("Get facilities in Berlin", { feedback }));
    expect(third).toMatchObject({ success: false });
    expect(third.message).toMatch(/without a model.*known cities/);
  });

  test("an issue without a repair ends the attempts", async () => {
    const issue = {
      code: "missing_argument" as const,
      severity: "error" as const,
      message: "id is missing",
      task_id: "facilities_list",
    };
    const reply = await controller.processPhase1(
      phase1("Get facilities in Berlin", { feedback: [{ attempt: 1, issues: [issue] }] }),
    );
    expect(reply).toMatchObject({ success: false });
  });

  test("an aborted signal rejects with its reason", async () => {
    const reason = new Error("enough");
    await expect(controller.processPhase1(phase1("Get shipments"), { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    await expect(
      controller.processPhase2({ search_id: "x", phase_2_data: data("") }, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});

describe("phase 2", () => {
  const weather: Resource = {
    kind: "tool",
    id: "forecast_get",
    description: "Get the weather forecast.",
    input_schema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city"],
      additionalProperties: false,
    },
  };
  const writer: Resource = {
    kind: "llm",
    id: "writer",
    description: "Writes prose",
    input_schema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  };
  const request = (description: string, more: Partial<Phase2Request> = {}): Phase2Request => ({
    search_id: "two",
    phase_2_data: data(description),
    resources: [weather, writer, ...freightResources],
    task: { task_id: "t", description, execution_type: "tool", instructions: null, parameters: {} },
    ...more,
  });

  test.for<{ name: string; request: Phase2Request; expected: unknown }>([
    {
      name: "chooses and fills from the description",
      request: request("Get the forecast for Lisbon"),
      expected: { uid: "forecast_get", input_data: { city: "Lisbon" } },
    },
    {
      name: "fills what is optional too where nothing was said",
      request: request("Find the facilities in Berlin"),
      expected: { uid: "facilities_list", input_data: { location: "Berlin" } },
    },
    {
      name: "keeps the input it is given",
      request: request("Get the forecast for Lisbon", { input: { city: "Porto", days: 3 } }),
      expected: { uid: "forecast_get", input_data: { city: "Porto", days: 3 } },
    },
    {
      name: "maps an input of another name",
      request: request("Get the forecast", {
        input: { city: "Porto", days: 2 },
        resources: [
          {
            ...weather,
            input_schema: {
              type: "object",
              properties: { city_name: { type: "string" }, days: { type: "integer" } },
              required: ["city_name"],
              additionalProperties: false,
            },
          },
        ],
      }),
      expected: { uid: "forecast_get", input_data: { city_name: "Porto", days: 2 } },
    },
    {
      name: "takes the only resource of the kind",
      request: request("Tell it nicely", {
        task: {
          task_id: "t",
          description: "Tell it nicely",
          execution_type: "llm",
          instructions: null,
          parameters: {},
        },
      }),
      expected: { uid: "writer", input_data: { prompt: "Tell it nicely" } },
    },
    {
      name: "goes by the input when the description says nothing",
      request: request("Do it", { input: { city: "Porto", days: 2 } }),
      expected: { uid: "forecast_get", input_data: { city: "Porto", days: 2 } },
    },
  ])("$name", async ({ request: asked, expected }) => {
    expect(await controller.processPhase2(asked)).toEqual({ success: true, data: expected });
  });

  test("applies repairs, then gives up rather than repeat itself", async () => {
    const issue = {
      code: "invalid_argument" as const,
      severity: "error" as const,
      message: "days must be at most 7",
      argument_path: "days",
      repair: { operation: "replace" as const, candidates: [7] },
    };
    const asked = request("Get the forecast for Lisbon", {
      input: { days: 9 },
      feedback: [{ attempt: 1, issues: [issue] }],
    });
    const reply = await controller.processPhase2(asked);
    expect(reply.data).toEqual({ uid: "forecast_get", input_data: { days: 7, city: "Lisbon" } });
    const again = await controller.processPhase2({
      ...asked,
      feedback: [{ attempt: 1, issues: [issue], answer: JSON.stringify(reply.data) }],
    });
    expect(again.success).toBe(false);
  });

  test.for([
    { name: "nothing fits", asked: request("Bake a cake"), message: /No resource fits the task "Bake a cake"/ },
    {
      name: "nothing is there",
      asked: request("Get the forecast", { resources: [] }),
      message: /no resource to choose from/,
    },
  ])("$name: a clear failure", async ({ asked, message }) => {
    const reply = await controller.processPhase2(asked);
    expect(reply.success).toBe(false);
    expect(reply.message).toMatch(message);
  });
});

test("the constructor refuses a wrong clock at once", () => {
  expect(() => new EmbeddedController({ timeZone: "Nowhere/Land" })).toThrow(/IANA time zone/);
});
