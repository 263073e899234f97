import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { TaskState } from "@a2a-js/sdk";
import { connectAgents, type RemoteAgentOptions } from "@planloom/a2a";
import { memoryJournal, Planloom } from "planloom";
import { describe, expect, test, vi } from "vitest";
import { repository } from "../support/run-cli.ts";
import { type Door, grpcDoor, restDoor } from "./other-bindings.ts";
import { data, type TestAgentOptions, testAgent } from "./support.ts";

const plan = {
  planned_tasks: [
    { task_id: "ask", execution_type: "agent" as const, agent_id: "helper", arguments: { city: "Oslo" } },
  ],
};

/** An agent whose card names one other binding alone. */
async function world(
  binding: "GRPC" | "HTTP+JSON",
  onTurn: TestAgentOptions["onTurn"],
  { own = {}, door: open, capabilities = { streaming: true }, connect = {} }: Settings = {},
) {
  const cancelled: string[] = [];
  const agent = await testAgent({ onTurn, card: { capabilities }, onCancel: (id) => cancelled.push(id) });
  const door = await (open ?? (binding === "GRPC" ? grpcDoor : restDoor))(agent);
  const origin = `http://127.0.0.1:${door.port}`;
  const url = binding === "GRPC" ? `127.0.0.1:${door.port}` : `${origin}/rest`;
  agent.card.supportedInterfaces = [{ url, protocolBinding: binding, protocolVersion: "1.0" }];
  const options = { url: agent.url, origins: [origin], ...own };
  const connection = await connectAgents({ helper: options }, { pollMs: 20, reconnectMs: 1_000, ...connect });
  const planloom = new Planloom({ executors: [connection.executor], journal: memoryJournal() });
  return {
    ...{ agent, door, connection, planloom, cancelled },
    async outcome(runOptions: object = {}) {
      const [first] = (await planloom.run(plan, runOptions)).results;
      return { status: first!.status, output: first!.output, code: first!.error?.details?.error_code };
    },
    async [Symbol.asyncDispose]() {
      await planloom.close();
      await connection.close();
      await door[Symbol.asyncDispose]();
      await agent[Symbol.asyncDispose]();
    },
  };
}

interface Settings {
  readonly own?: Partial<RemoteAgentOptions>;
  readonly door?: (agent: Awaited<ReturnType<typeof testAgent>>) => Promise<Door>;
  readonly capabilities?: object;
  readonly connect?: object;
}

const completes: TestAgentOptions["onTurn"] = (turn) => {
  turn.task();
  turn.artifact([data({ said: turn.data })]);
  turn.status(TaskState.TASK_STATE_COMPLETED);
};

describe.each(["GRPC", "HTTP+JSON"] as const)("%s", (binding) => {
  test("a message goes out, and the artifact of the task comes back", async () => {
    await using here = await world(binding, completes);
    expect(await here.outcome()).toMatchObject({ status: "completed", output: { said: { city: "Oslo" } } });
    expect(here.door.calls[0]).toMatch(/SendStreamingMessage|message:stream/);
    expect(here.agent.calls).toEqual([]);
  });

  test("an agent that streams nothing is looked at", async () => {
    const work = Promise.withResolvers<void>();
    await using here = await world(
      binding,
      async (turn) => {
        turn.task();
        await work.promise;
        turn.artifact([data(7)]);
        turn.status(TaskState.TASK_STATE_COMPLETED);
      },
      { capabilities: {} },
    );
    const running = here.outcome();
    await vi.waitFor(() => expect(here.door.calls.join()).toMatch(/GetTask|GET \/rest\/tasks\/ID/));
    work.resolve();
    expect(await running).toMatchObject({ status: "completed", output: 7 });
  });

  test("cancelling the run cancels the task there", async () => {
    const begun = Promise.withResolvers<void>();
    await using here = await world(binding, async (turn) => {
      turn.task();
      begun.resolve();
      await new Promise(() => {});
    });
    const stop = new AbortController();
    const running = here.outcome({ signal: stop.signal });
    await begun.promise;
    stop.abort(new Error("enough"));
    expect(await running).toMatchObject({ status: "cancelled" });
    expect(here.cancelled).toHaveLength(1);
  });

  test("an agent that goes away while it works is lost after a while; one that is away takes nothing", async () => {
    const begun = Promise.withResolvers<void>();
    const connect = { reconnectMs: 200 };
    await using here = await world(
      binding,
      async (turn) => {
        turn.task();
        begun.resolve();
        await new Promise(() => {});
      },
      { connect },
    );
    const running = here.outcome();
    await begun.promise;
    await vi.waitFor(() => expect(here.door.calls).toHaveLength(1));
    // Real time: the first event is on its way before the connection breaks.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await here.door[Symbol.asyncDispose]();
    expect(await running).toMatchObject({ status: "failed", code: "A2A_CONNECTION_LOST" });
    expect(await here.outcome()).toMatchObject({ status: "failed", code: "A2A_UNREACHABLE" });
  });

  test("an interface on another host or port is used only where its origin is trusted", async () => {
    await expect(world(binding, completes, { own: { origins: [] } })).rejects.toMatchObject({ code: "A2A_ORIGIN" });
  });
});

test("over gRPC credentials go as metadata, and a refusal of them says so", async () => {
  const card = {
    securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
  };
  for (const [token, expected] of [
    ["right-token", { status: "completed" }],
    ["wrong-token", { status: "failed", code: "A2A_AUTH" }],
  ] as const) {
    await using here = await world("GRPC", completes, {
      own: { credentials: { token } },
      async door(agent) {
        Object.assign(agent.card, card);
        return grpcDoor(agent, (metadata) => metadata.get("authorization").join() !== "Bearer right-token");
      },
    });
    expect(await here.outcome()).toMatchObject(expected);
    expect(here.door.calls[0]).toBe(`SendStreamingMessage Bearer ${token}`);
  }
});

test("over gRPC more than the 4 MiB of one message is refused as too large", async () => {
  await using here = await world("GRPC", (turn) => {
    turn.task();
    turn.artifact([data("x".repeat(5 * 1024 * 1024))]);
    turn.status(TaskState.TASK_STATE_COMPLETED);
  });
  expect(await here.outcome()).toMatchObject({ status: "failed", code: "A2A_RESULT_TOO_LARGE" });
});

test("of several interfaces the first on a trusted origin is used, and nothing goes to the others", async () => {
  await using agent = await testAgent({ onTurn: completes });
  await using door = await grpcDoor(agent);
  const [rpc] = agent.card.supportedInterfaces as object[];
  const grpc = { url: `127.0.0.1:${door.port}`, protocolBinding: "GRPC", protocolVersion: "1.0" };
  const foreign = { url: "https://elsewhere.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  agent.card.supportedInterfaces = [grpc, foreign, rpc];
  await using connection = await connectAgents({ helper: { url: agent.url } });
  await using planloom = new Planloom({ executors: [connection.executor] });
  expect((await planloom.run(plan)).end_reason).toBe("completed");
  expect(agent.calls).toEqual(["SendStreamingMessage"]);
  expect(door.calls).toEqual([]);
});

test("where the packages of gRPC are missing the error says what to install, and an agent with another binding is not concerned", async () => {
  await using agent = await testAgent({ onTurn: completes });
  const [rpc] = agent.card.supportedInterfaces as object[];
  const grpc = { url: agent.url.replace("http://", ""), protocolBinding: "GRPC", protocolVersion: "1.0" };
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(name, context, next) {
        if (!name.startsWith("@grpc/")) return next(name, context);
        throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });
    const { connectAgents } = await import("@planloom/a2a");
    const said = await connectAgents({ helper: { url: ${JSON.stringify(agent.url)} } }).then(
      async (connection) => (await connection.close(), "connected"),
      ({ code, message }) => code + " " + message,
    );
    console.log(said);
  `;
  const said = async (interfaces: object[]) => {
    agent.card.supportedInterfaces = interfaces;
    const args = ["--input-type=module", "--no-warnings", "-e", program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: `${repository}/test` });
    return stdout.trim();
  };
  expect(await said([grpc])).toMatch(/^A2A_NOT_INSTALLED .*npm install @grpc\/grpc-js @bufbuild\/protobuf$/);
  expect(await said([grpc, rpc!])).toBe("connected");
}, 30_000);
