import { ControllerErrorCode, LlmController, openaiModel } from "@planloom/controller";
import { chatBehaviours, scriptedController, scriptedModel, startChatServer } from "@planloom/controller/testing";
import { describe, expect, test } from "vitest";

const ask = { messages: [{ role: "user", content: "Say it." }] } as const;
const phase1 = { search_id: "s", phase_1_data: { task_input_data: "P", n_history_samples: 0, llm_data: {} } };
const phase2 = { search_id: "s", phase_2_data: { task_input_data: "P", n_history_samples: 0, llm_data: {} } };
const script = expect.objectContaining({ code: ControllerErrorCode.SCRIPT });

describe("scriptedModel", () => {
  test("follows its script and fails on one call more", async () => {
    const model = scriptedModel(["one", { toolCalls: [] }, (request) => request.messages[0]?.content ?? ""]);
    expect((await model.generate(ask)).text).toBe("one");
    expect((await model.generate(ask)).text).toBe("");
    expect(() => model.assertDone()).toThrow(script);
    expect((await model.generate(ask)).text).toBe("Say it.");
    model.assertDone();
    await expect(model.generate(ask)).rejects.toEqual(script);
    expect(model.requests).toHaveLength(4);
  });
});

describe("scriptedController", () => {
  test("follows its script, phase by phase", async () => {
    const controller = scriptedController([
      { phase1: { success: true, data: [] } },
      { phase2: (request) => ({ success: true, data: request.search_id }) },
      { phase1: new Error("no") },
      { phase2: { success: true } },
    ]);
    expect(await controller.processPhase1(phase1)).toEqual({ success: true, data: [] });
    expect(await controller.processPhase2(phase2)).toEqual({ success: true, data: "s" });
    await expect(controller.processPhase1(phase1)).rejects.toThrow("no");
    expect(() => controller.assertDone()).toThrow(script);
    await expect(controller.processPhase1(phase1)).rejects.toEqual(script);
    controller.assertDone();
    await expect(controller.processPhase2(phase2)).rejects.toEqual(script);
  });
});

describe("startChatServer", () => {
  const tasks = [
    { task_id: "a", execution_type: "tool", tool_id: "t", arguments: {}, dependencies: [] as string[] },
    { task_id: "b", execution_type: "tool", tool_id: "t", arguments: {}, dependencies: ["a"] },
  ];

  test.for([
    { name: "an answer", step: chatBehaviours.answers({ tasks }) },
    { name: "a fence", step: chatBehaviours.fenced({ tasks }) },
    { name: "prose", step: chatBehaviours.inProse({ tasks }) },
    { name: "a thought", step: chatBehaviours.thinksFirst({ tasks }) },
    { name: "a thought apart", step: chatBehaviours.thinksApart({ tasks }) },
  ])("gives a plan through $name, whole and streamed, in each mode", async ({ step }) => {
    for (const structuredOutput of ["json_schema", "tool", "text"] as const) {
      for (const stream of [false, true]) {
        await using server = await startChatServer([step], { repeat: true });
        const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {}, structuredOutput, stream });
        expect(await new LlmController({ model }).processPhase1(phase1)).toMatchObject({ success: true, data: tasks });
        expect(server.requests).toHaveLength(1);
      }
    }
  });

  test("gives wrong tools, cycles and cut plans", async () => {
    await using server = await startChatServer([
      chatBehaviours.wrongToolNames(tasks),
      chatBehaviours.cyclic(tasks),
      chatBehaviours.truncated({ tasks }),
    ]);
    const controller = new LlmController({
      model: openaiModel({ baseURL: server.baseURL, model: "m", environment: {} }),
    });
    expect(await controller.processPhase1(phase1)).toMatchObject({ data: [{ tool_id: "no_such_tool" }, {}] });
    expect(await controller.processPhase1(phase1)).toMatchObject({
      data: [{ dependencies: ["b"] }, { dependencies: ["a"] }],
    });
    expect(await controller.processPhase1(phase1)).toMatchObject({ success: false });
    expect(server.left).toBe(0);
  });

  test("answers what is no chat completion with 404, and closes at once", async () => {
    const server = await startChatServer([chatBehaviours.silent()]);
    expect((await fetch(`${server.baseURL}/nothing`)).status).toBe(404);
    const waiting = fetch(`${server.baseURL}/chat/completions`, { method: "POST", body: "{}" });
    waiting.catch(() => undefined);
    while (server.requests.length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await server.close();
    await expect(waiting).rejects.toThrow();
  });
});
