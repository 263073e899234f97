import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { inspect } from "node:util";
import { openaiEncoder } from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import { afterEach, describe, expect, test } from "vitest";
import { tool } from "../support/tool-records.ts";

interface Asked {
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly input: readonly string[] } & Readonly<Record<string, unknown>>;
}
type Answer = (asked: Asked, count: number) => { readonly status?: number; readonly body: unknown } | undefined;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** An embeddings endpoint; no answer leaves the request open. */
async function serve(answer: Answer): Promise<{ baseURL: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const own: Asked = { path: request.url, headers: request.headers, body: JSON.parse(await readText(request)) };
    asked.push(own);
    const given = answer(own, asked.length);
    if (given === undefined) return;
    response.writeHead(given.status ?? 200, { "content-type": "application/json" });
    response.end(typeof given.body === "string" ? given.body : JSON.stringify(given.body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const encoderAt = (baseURL: string, options = {}) =>
  openaiEncoder({ baseURL, model: "small", apiKey: "sk-test-123456", retryDelayMs: 1, environment: {}, ...options });

const data = (vectors: readonly unknown[]) => ({ data: vectors.map((embedding, index) => ({ index, embedding })) });

describe("an embeddings endpoint", () => {
  test("is sent all texts in one request; vectors are put in their order", async () => {
    const { baseURL, asked } = await serve(() => ({ body: { data: data([[1], [2], [3]]).data.reverse() } }));
    const encode = encoderAt(baseURL, { extraBody: { dimensions: 1 } });
    expect(await encode(["a", "b", "c"])).toEqual([[1], [2], [3]]);
    expect(asked).toMatchObject([
      {
        path: "/v1/embeddings",
        headers: { authorization: "Bearer sk-test-123456" },
        body: { model: "small", input: ["a", "b", "c"], encoding_format: "float", dimensions: 1 },
      },
    ]);
  });

  test("is asked again after 500 and 429, not after 400", async () => {
    const busy = await serve((_, count) =>
      count < 3 ? { status: count === 1 ? 500 : 429, body: "" } : { body: data([[1]]) },
    );
    expect(await encoderAt(busy.baseURL)(["a"])).toEqual([[1]]);
    expect(busy.asked).toHaveLength(3);
    const wrong = await serve(() => ({
      status: 400,
      body: { error: { message: "no such model for sk-test-123456" } },
    }));
    const error = await encoderAt(wrong.baseURL)(["a"]).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: "CONTROLLER_STATUS", details: { status: 400 } });
    expect(inspect(error, { depth: 9 })).not.toContain("sk-test-123456");
    expect(wrong.asked).toHaveLength(1);
    const page = await serve(() => ({ body: "<!doctype html><title>Sign in</title>" }));
    await expect(encoderAt(page.baseURL)(["a"])).rejects.toMatchObject({
      ...{ code: "CONTROLLER_PROTOCOL", retryable: false, message: expect.stringContaining('a web page ("Sign in")') },
    });
  });

  test.for([
    ["no JSON", "<html>"],
    ["no data", {}],
    ["too few", data([[1]])],
    ["another form", data(["AACAPw==", "AACAPw=="])],
    ["null", { data: [null, null] }],
  ] as const)("that answers with something else: %s", async ([, body]) => {
    const { baseURL } = await serve(() => ({ body }));
    await expect(encoderAt(baseURL)(["a", "b"])).rejects.toMatchObject({ code: "CONTROLLER_PROTOCOL" });
  });

  test("is let go of when the signal is aborted, and after the time limit", async () => {
    const { baseURL } = await serve(() => undefined);
    const reason = new Error("enough");
    const controller = new AbortController();
    const call = encoderAt(baseURL)(["a"], { signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    await expect(call).rejects.toBe(reason);
    await expect(encoderAt(baseURL, { timeoutMs: 50 })(["a"])).rejects.toMatchObject({ code: "CONTROLLER_TIMEOUT" });
  });

  test("needs a model, and a key where the URL is OpenAI's", () => {
    expect(() => openaiEncoder({ model: "", environment: {} })).toThrow(/`model`/);
    expect(() => openaiEncoder({ model: "small", environment: {} })).toThrow(/API key/);
  });

  test("serves the embedded planner", async () => {
    const { baseURL, asked } = await serve(({ body }) => ({
      body: data(
        body.input.map((each) => (/solicitor|attorney/.test(each) ? [1, 0, 0] : [0, /rake/.test(each) ? 1 : 0.5, 1])),
      ),
    }));
    const resources = [
      tool("find_attorney", "Attorney for a dispute.", {}, {}),
      tool("clean_rake", "Rake cleaning.", {}, {}),
      tool("mend_hose", "Hose mending.", {}, {}),
    ];
    const controller = new EmbeddedController({ encode: encoderAt(baseURL) });
    const asks = { task_input_data: "I need a solicitor", n_history_samples: 0, llm_data: {} };
    expect(await controller.processPhase1({ search_id: "s", phase_1_data: asks, resources })).toMatchObject({
      data: { planned_tasks: [{ tool_id: "find_attorney" }] },
    });
    expect(asked.map(({ body }) => body.input.length)).toEqual([3, 1]);
  });
});
