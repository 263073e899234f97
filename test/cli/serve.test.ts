import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callAt, eventsAt, type Loose } from "../server/support.ts";
import { runCliHere, startCli, startCliHere } from "../support/run-cli.ts";

const library = new URL("../../packages/planloom/src/index.ts", import.meta.url).href;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-serve-"));
  const tool = (id: string, ms: number) =>
    `defineTool({ id: "${id}", description: "Does ${id}", readOnly: true, execute: () => new Promise((end) => setTimeout(() => end("${id}"), ${ms})) })`;
  await writeFile(
    join(folder, "planloom.config.mjs"),
    `import { defineConfig, defineTool } from ${JSON.stringify(library)};
export default defineConfig({ tools: [${tool("quick", 1)}, ${tool("slow", 700)}] });`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly resumed: number;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

const words = (args: readonly string[]) => [
  ...["serve", "--json", "--port", "0", "--config", join(folder, "planloom.config.mjs")],
  ...args,
];
const homeOf = () => ({ PLANLOOM_HOME: join(folder, "home") });
const isWhole = (text: string) => text.endsWith("\n}\n");

/** A server in this process. */
async function serveHere(args: readonly string[] = [], env: Record<string, string> = {}) {
  const command = startCliHere(words(args), { ...homeOf(), ...env }, folder);
  const { url, resumed } = JSON.parse(await command.said(isWhole)) as { url: string; resumed: number };
  return { url, resumed, said: command.complained, [Symbol.asyncDispose]: async () => void (await command.stop()) };
}

/** A server in a process of its own. */
async function serveProcess(): Promise<Served> {
  const child = startCli(words([]), homeOf(), folder);
  const { url, resumed } = await new Promise<{ url: string; resumed: number }>((resolve, reject) => {
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (isWhole(said)) resolve(JSON.parse(said));
    });
    child.once("exit", () => reject(new Error(`planloom serve: ${said}`)));
  });
  const stop = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, "exit");
    }
    return child.exitCode;
  };
  return { url, resumed, stop, [Symbol.asyncDispose]: async () => void (await stop("SIGKILL")) };
}

/** What is said in place of serving. */
async function refused(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCliHere(words(args), homeOf(), folder);
  expect(code).toBeGreaterThan(0);
  return stdout + stderr;
}

const plan = (...tools: string[]) => ({
  planned_tasks: tools.map((tool_id, at) => ({
    task_id: `t${at}`,
    execution_type: "tool",
    tool_id,
    dependencies: at === 0 ? [] : [`t${at - 1}`],
  })),
});

test("runs of `planloom serve` outlive a deploy and a kill", async () => {
  {
    await using first = await serveProcess();
    await callAt(`${first.url}/runs`, "POST", { plan: plan("slow", "quick"), run_id: "deployed" });
    expect(await first.stop("SIGTERM")).toBe(143);
  }
  {
    await using second = await serveProcess();
    expect(second.resumed).toBe(1);
    await eventsAt(`${second.url}/runs/deployed/events`);
    expect((await callAt(`${second.url}/runs/deployed`, "GET")).body).toMatchObject({ status: "completed" });
    await callAt(`${second.url}/runs`, "POST", { plan: plan("slow", "quick"), run_id: "killed" });
    await second.stop("SIGKILL");
  }
  await using third = await serveHere();
  expect(third.resumed).toBe(1);
  const events = await eventsAt(`${third.url}/runs/killed/events`);
  expect(events.at(-2)?.data).toMatchObject({ type: "run-end", endReason: "completed" });
}, 120_000);

test("--log writes what happens as lines of JSON, from the level that is asked for", async () => {
  const linesOf = (served: { said(): string }) =>
    served
      .said()
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { level: string; time: string; msg: string; url?: string });
  {
    await using served = await serveHere(["--log", "info"]);
    await callAt(`${served.url}/runs`, "POST", { plan: plan("quick"), run_id: "logged" });
    await eventsAt(`${served.url}/runs/logged/events`);
    const lines = linesOf(served);
    expect(lines[0]).toMatchObject({ level: "info", msg: "listening", url: served.url, time: expect.any(String) });
    expect(lines.filter((line) => JSON.stringify(line).includes('"logged"')).length).toBeGreaterThan(0);
    expect(lines.every(({ level }) => level !== "debug")).toBe(true);
  }
  await using quiet = await serveHere(["--log", "error"]);
  await callAt(`${quiet.url}/runs/none`, "GET");
  expect(linesOf(quiet)).toEqual([]);
  expect(await refused(["--log", "loud"])).toContain("CLI_USAGE");
}, 60_000);

test("a file of tokens gives each its scopes, its home and its tools", async () => {
  await mkdir(join(folder, "etc"), { recursive: true });
  const file = join(folder, "etc", "tokens.yaml");
  const tokens = [
    { name: "ada", token: { env: "ADA" } },
    { name: "board", token: "board-0123456789abcdef", scopes: ["read"] },
    { name: "acme", token: "acme-0123456789abcdef", home: "../acme", tools: ["quick"] },
  ];
  await writeFile(file, JSON.stringify({ tokens }));
  await using served = await serveHere(["--tokens", file], { ADA: "ada-0123456789abcdef" });
  const call = (name: string, method: string, path: string, body?: unknown) =>
    callAt(served.url + path, method, body, { authorization: `Bearer ${name}-0123456789abcdef` });
  const tools = async (name: string) =>
    (await call(name, "GET", "/resources")).body.resources
      .filter(({ kind }: Loose) => kind === "tool")
      .map(({ id }: Loose) => id);
  expect([await tools("ada"), await tools("acme")]).toEqual([["quick", "slow"], ["quick"]]);
  expect((await call("board", "POST", "/runs", { plan: plan("quick") })).status).toBe(403);
  expect((await call("acme", "POST", "/runs", { plan: plan("slow") })).body.error.code).toBe("PLANLOOM_INVALID_PLAN");
  await call("acme", "POST", "/runs", { plan: plan("quick"), run_id: "acme-1" });
  expect((await call("acme", "GET", "/runs")).body.runs).toHaveLength(1);
  expect((await call("ada", "GET", "/runs/acme-1")).status).toBe(404);
}, 60_000);

test("a tenant's plans name the secrets that its token lists, and no others of the server", async () => {
  const file = join(folder, "secrets.json");
  const token = (name: string) => ({ name, token: `${name}-0123456789abcdef`, home: name });
  const tokens = [{ ...token("trusted"), secrets: ["SHOP"] }, token("other")];
  await writeFile(file, JSON.stringify({ tokens }));
  await using served = await serveHere(["--tokens", file, "--secret", "SHOP", "--secret", "BANK"], {
    SHOP: "shop-secret-1",
    BANK: "bank-secret-2",
  });
  const run = async (name: string, secret: string) => {
    const task = { task_id: "t", tool_id: "quick", arguments: { key: { $secret: secret } } };
    const body = { plan: { planned_tasks: [task] } };
    const headers = { authorization: `Bearer ${name}-0123456789abcdef` };
    const { status, body: answer } = await callAt(`${served.url}/runs`, "POST", body, headers);
    return [status, answer.error?.code];
  };
  expect(await run("trusted", "SHOP")).toEqual([202, undefined]);
  expect(await run("trusted", "BANK")).toEqual([400, "RUNTIME_SECRET_MISSING"]);
  expect(await run("other", "SHOP")).toEqual([400, "RUNTIME_SECRET_MISSING"]);
  await writeFile(file, JSON.stringify({ tokens: [{ ...token("trusted"), secrets: ["NONE"] }] }));
  expect(await refused(["--tokens", file])).toContain("the secret NONE, which the server has not");
}, 60_000);

test.for<[string, unknown, string]>([
  ["no token", { tokens: [] }, "tokens"],
  ["an unknown field", { tokens: [{ name: "a", tokn: "x" }] }, "tokn"],
  ["a variable that is not set", { tokens: [{ name: "a", token: { env: "NONE" } }] }, "NONE"],
  ["tools without a home", { tokens: [{ name: "a", token: "a".repeat(20), tools: [] }] }, "home"],
  ["the home of the server", { tokens: [{ name: "a", token: "a".repeat(20), home: "home/", tools: [] }] }, "itself"],
  [
    "one home with two sets of tools",
    {
      tokens: [
        { name: "a", token: "a".repeat(20), home: "acme", tools: ["quick"] },
        { name: "b", token: "b".repeat(20), home: "./acme/", tools: ["slow"] },
      ],
    },
    "different tools",
  ],
  [
    "a short token",
    { tokens: [{ name: "a", token: "short" }] },
    "(`tokens[0].token`) to be a text of at least 16 characters without spaces, got one of 5",
  ],
])("a file with %s is refused", { timeout: 30_000 }, async ([, content, part]) => {
  const file = join(folder, `${Math.random()}.json`);
  await writeFile(file, JSON.stringify(content));
  expect(await refused(["--tokens", file])).toContain(part);
});

test("limits, the path and whether runs are taken up are said on the command line, too", async () => {
  const limits = ["--rate-limit", "3/600", "--max-body", "0.001", "--max-listeners", "1", "--base-path", "/plans"];
  await using served = await serveHere([...limits, "--heart-beat", "0.05", "--no-resume"]);
  expect(served.url).toMatch(/\/plans$/);
  const large = await callAt(`${served.url}/runs`, "POST", { goal: "x".repeat(2_000) });
  expect(large.body.error).toMatchObject({ code: "PLAN_TOO_LARGE", details: { maxBytes: 1_048 } });
  await callAt(`${served.url}/runs`, "POST", { plan: plan("slow"), run_id: "limited" });
  const leave = new AbortController();
  const stream = await fetch(`${served.url}/runs/limited/events`, { signal: leave.signal });
  let text = "";
  for await (const chunk of stream.body!) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n:\n")) break;
  }
  leave.abort();
  expect((await callAt(`${served.url}/runs`, "GET")).body.error.code).toBe("SERVER_RATE_LIMITED");
  expect(await refused(["--rate-limit", "many"])).toContain("CLI_USAGE");
  expect(await refused(["--base-path", "plans/"])).toContain("SERVER_OPTION");
}, 60_000);

test("beyond this machine it is refused without a token", async () => {
  expect(await refused(["--host", "0.0.0.0"])).toContain("SERVER_UNPROTECTED");
}, 30_000);
