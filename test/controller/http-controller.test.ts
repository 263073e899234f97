import { inspect } from "node:util";
import {
  ControllerErrorCode,
  type ControllerReply,
  HttpController,
  type HttpControllerOptions,
  type Phase1Request,
  type Phase2Request,
} from "@planloom/controller";
import { describe, expect, test } from "vitest";
import { type RemoteAnswer, startControllerServer } from "../support/controller-server.ts";

const phase1: Phase1Request = {
  search_id: "11111111-1111-4111-8111-111111111111",
  phase_1_data: { task_input_data: "P", n_history_samples: 0, llm_data: { model: "m" } },
  job: { job_goal: "Do it" },
  resources: [{ kind: "tool", id: "t", description: "T" }],
};
const phase2: Phase2Request = {
  search_id: "22222222-2222-4222-8222-222222222222",
  phase_2_data: { task_input_data: "P", n_history_samples: 0, llm_data: {} },
  input: { a: 1 },
};

async function ask(answers: readonly RemoteAnswer[], options: Partial<HttpControllerOptions> = {}, phase: 1 | 2 = 1) {
  await using server = await startControllerServer(answers);
  const controller = new HttpController({ url: server.url, retryDelayMs: 1, ...options });
  let reply: ControllerReply | undefined;
  let error: unknown;
  try {
    reply = await (phase === 1 ? controller.processPhase1(phase1) : controller.processPhase2(phase2));
  } catch (caught) {
    error = caught;
  }
  return { reply, error, requests: server.requests, name: controller.name };
}

describe("a request", () => {
  test.for([
    { phase: 1 as const, path: "/process-phase-1-task", body: phase1 },
    { phase: 2 as const, path: "/process-phase-2-task", body: phase2 },
  ])("of phase $phase has the documented path and body, and ours beside", async ({ phase, path, body }) => {
    const { requests, name } = await ask(
      [{ body: { success: true, data: [] } }],
      { headers: { "x-team": "a" } },
      phase,
    );
    expect(requests).toMatchObject([{ method: "POST", path, body, headers: { "x-team": "a" } }]);
    expect(name).toMatch(/^http:127\.0\.0\.1:\d+$/);
  });

  test("keeps a path and drops a slash of the base URL", async () => {
    await using server = await startControllerServer([{ body: { success: true, data: [] } }]);
    await new HttpController({ url: `${server.url}/api/` }).processPhase1(phase1);
    expect(server.requests[0]?.path).toBe("/api/process-phase-1-task");
  });
});

describe("a reply", () => {
  const tasks = [{ task_id: "a" }];
  test.for([
    { name: "of tasks", body: { success: true, data: tasks }, reply: { success: true, data: tasks } },
    {
      name: "that wraps them",
      body: { success: true, data: { status: "success", processed_data: { tasks } } },
      reply: { success: true, data: { tasks } },
    },
    {
      name: "of a step",
      body: { success: true, data: { uid: "x", input_data: { a: 1 }, plan: "why" } },
      reply: { success: true, data: { uid: "x", input_data: { a: 1 }, plan: "why" } },
    },
    {
      name: "with only a uid",
      body: { success: true, data: { status: "success", processed_data: { uid: "x" } } },
      reply: { success: true, data: { uid: "x", input_data: {} } },
    },
    { name: "that refuses", body: { success: false, message: "boom" }, reply: { success: false, message: "boom" } },
    {
      name: "that fails inside",
      body: { success: true, data: { status: "failed", message: "boom", processed_data: null } },
      reply: { success: false, message: "boom" },
    },
  ])("$name", async ({ body, reply }) => {
    expect((await ask([{ body }])).reply).toEqual(reply);
  });
});

describe("an error", () => {
  test.for([
    { name: "400", answer: { status: 400, body: "bad" }, code: ControllerErrorCode.STATUS },
    { name: "500, not tried again", answer: { status: 500, body: "broken" }, code: ControllerErrorCode.STATUS },
    { name: "401", answer: { status: 401 }, code: ControllerErrorCode.AUTH },
    { name: "a page", answer: { body: "<html>" }, code: ControllerErrorCode.PROTOCOL },
    { name: "an empty body", answer: { body: "" }, code: ControllerErrorCode.PROTOCOL },
    { name: "another shape", answer: { body: { tasks: [] } }, code: ControllerErrorCode.PROTOCOL },
    { name: "a huge body", answer: { body: "x".repeat(5_000) }, code: ControllerErrorCode.PROTOCOL },
    { name: "a redirect", answer: { status: 307, headers: { location: "/x" } }, code: ControllerErrorCode.STATUS },
  ])("tells $name, and whether a planner may ask again", async ({ name, answer, code }) => {
    const { error, requests } = await ask([answer], { maxResponseBytes: 1_000 });
    const isFinal = ["400", "401", "a page", "a redirect"].includes(name);
    expect(error).toMatchObject({ name: "ControllerError", code, retryable: !isFinal });
    expect(requests).toHaveLength(1);
  });

  test.for([200, 403])("never shows a header's secret that is echoed with %i", async (status) => {
    const headers = { authorization: "Bearer secret-token" };
    const { error } = await ask([{ status, body: "no: secret-token" }], { headers });
    expect(String(error)).toContain("[redacted]");
    expect(inspect(error, { depth: 9 })).not.toContain("secret-token");
  });

  test("nor one that a refusal names, which people see", async () => {
    const headers = { authorization: "Bearer secret-token" };
    const { reply } = await ask([{ body: { success: false, message: "no: secret-token" } }], { headers });
    expect(reply).toEqual({ success: false, message: "no: [redacted]" });
  });

  test("tells a body nested without end", async () => {
    const { error } = await ask([{ body: "[".repeat(100_000) + "]".repeat(100_000) }]);
    expect(error).toMatchObject({ name: "ControllerError", code: ControllerErrorCode.PROTOCOL });
  });

  test("tells a timeout, and that nothing listens", async () => {
    const { error } = await ask([{ delayMs: Number.POSITIVE_INFINITY }], { timeoutMs: 40 });
    expect(error).toMatchObject({ code: ControllerErrorCode.TIMEOUT, details: { timeoutMs: 40 } });
    const refused = new HttpController({ url: "http://127.0.0.1:1", retries: 0 }).processPhase1(phase1);
    await expect(refused).rejects.toMatchObject({ code: ControllerErrorCode.UNREACHABLE });
  });

  test.for(["ftp://host", "host:80", ""])("tells a wrong URL: %j", (url) => {
    expect(() => new HttpController({ url })).toThrow(expect.objectContaining({ code: ControllerErrorCode.CONFIG }));
  });
});

describe("a retry", () => {
  test.for([
    { name: "429", answer: { status: 429, headers: { "retry-after": "0" } } },
    { name: "503", answer: { status: 503 } },
    { name: "a broken connection", answer: { drop: "before" as const } },
    { name: "a body that breaks off", answer: { drop: "middle" as const, body: "x".repeat(200) } },
  ])("follows $name", async ({ answer }) => {
    const { reply, requests } = await ask([answer, { body: { success: true, data: [] } }]);
    expect(reply).toEqual({ success: true, data: [], requests: 2 });
    expect(requests).toHaveLength(2);
  });

  test("waits until an HTTP date", async () => {
    const now = Date.parse("2025-10-12T10:00:00.940Z");
    const answer = { status: 503, headers: { "retry-after": "Sun, 12 Oct 2025 10:00:01 GMT" } };
    const started = performance.now();
    await ask([answer, { body: { success: true, data: [] } }], { now: () => now });
    expect(performance.now() - started).toBeGreaterThan(55);
  });

  test("is not made where the service asks for a longer wait than there may be", async () => {
    await using server = await startControllerServer([{ status: 503, headers: { "retry-after": "60" } }]);
    await expect(new HttpController({ url: server.url }).processPhase2(phase2)).rejects.toMatchObject({
      message: expect.stringContaining("longer than `maxRetryDelayMs` (30 s)"),
      retryable: false,
    });
    expect(server.requests).toHaveLength(1);
  });

  test("stops when the caller gives up", async () => {
    await using server = await startControllerServer([{ status: 503, headers: { "retry-after": "60" } }]);
    const controller = new AbortController();
    const answer = new HttpController({ url: server.url, maxRetryDelayMs: 60_000 }).processPhase2(phase2, {
      signal: controller.signal,
    });
    // Real time: the refusal has to come through a socket before the wait that is given up begins.
    setTimeout(() => controller.abort("enough"), 30);
    await expect(answer).rejects.toBe("enough");
  });
});
