import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { connectMcpServers, type McpLogEntry } from "@planloom/mcp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, isRunning, mcpError, stdioToolbox } from "./support.ts";

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "planloom-mcp-")));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(text: string): Promise<string> {
  const name = path.join(folder, "mcp.json");
  await writeFile(name, text);
  return name;
}

describe("a configuration that is wrong", () => {
  test.for<{ name: string; text: string; code: string; says: string[] }>([
    { name: "not JSON", text: '{\n  "mcpServers": {\n    oops\n  }\n}', code: "MCP_CONFIG_JSON", says: ["line 3"] },
    { name: "cut off", text: '{\n  "mcpServers": {\n', code: "MCP_CONFIG_JSON", says: ["is not JSON", "line"] },
    { name: "empty", text: "", code: "MCP_CONFIG_JSON", says: ["line 1, column 1"] },
    { name: "an array", text: "[]", code: "MCP_CONFIG", says: ["got array"] },
    { name: "another host's key", text: '{"servers": {}}', code: "MCP_CONFIG", says: ["mcpServers", "servers"] },
    { name: "servers as a list", text: '{"mcpServers": []}', code: "MCP_CONFIG", says: ["got array"] },
    {
      name: "a server as text",
      text: '{"mcpServers": {"a": "npx"}}',
      code: "MCP_CONFIG",
      says: ["mcpServers.a", "string"],
    },
    {
      name: "several faults at once",
      text: '{"mcpServers": {"a": {}, "b": {"command": 1}, "c": {"command": "x", "url": "y"}}}',
      code: "MCP_CONFIG",
      says: ["mcpServers.a:", "mcpServers.b.command:", "mcpServers.c:", "both"],
    },
    {
      name: "a URL that is none",
      text: '{"mcpServers": {"a": {"url": "file:///x"}}}',
      code: "MCP_CONFIG",
      says: ["http"],
    },
    {
      name: "keys of ours that are misspelt",
      text: '{"mcpServers": {"a": {"command": "x", "trust_hints": false}, "b": {"url": "http://x", "disable": true}}}',
      code: "MCP_CONFIG",
      says: [
        "mcpServers.a.trust_hints: Unknown key, did you mean `trustHints`?",
        "mcpServers.b.disable:",
        "`disabled`",
      ],
    },
    {
      name: "keys that everyone has, misspelt or called otherwise",
      text: '{"mcpServers": {"a": {"command": "x", "arg": []}, "b": {"comand": "x"}, "c": {"url": "http://x", "header": {}}, "d": {"command": "x", "environment": {}}, "e": {"serverUrl": "http://x"}}}',
      code: "MCP_CONFIG",
      says: [
        "mcpServers.a.arg: Unknown key, did you mean `args`?",
        "mcpServers.b.comand: Unknown key, did you mean `command`?",
        "mcpServers.c.header: Unknown key, did you mean `headers`?",
        "mcpServers.d.environment: Unknown key, did you mean `env`?",
        "mcpServers.e.serverUrl: Unknown key, did you mean `url`?",
      ],
    },
    {
      name: "a slash in a name",
      text: '{"mcpServers": {"a/b": {"command": "x"}}}',
      code: "MCP_CONFIG",
      says: ["slash"],
    },
    {
      name: "a prototype name",
      text: '{"mcpServers": {"__proto__": {"command": "x"}}}',
      code: "MCP_CONFIG",
      says: ["__proto__"],
    },
    {
      name: "an unset variable",
      text: '{"mcpServers": {"a": {"command": "x", "env": {"K": "${NO_SUCH}"}}}}',
      code: "MCP_CONFIG",
      says: ["mcpServers.a.env.K", "NO_SUCH"],
    },
    {
      name: "the SSE transport",
      text: '{"mcpServers": {"a": {"type": "sse", "url": "http://x"}}}',
      code: "MCP_CONFIG",
      says: ["SSE"],
    },
    {
      name: "one name twice",
      text: '{\n"mcpServers": {\n"a": {"command": "x"},\n"a": {"command": "y"}}}',
      code: "MCP_DUPLICATE_NAME",
      says: ['"a"', "line 4"],
    },
  ])("$name", async ({ text, code, says }) => {
    const error = await mcpError(connectMcpServers(await file(text), { env: {} }));
    expect(error.code).toBe(code);
    for (const part of says) expect(error.message).toContain(part);
  });

  test("missing", async () => {
    const error = await mcpError(connectMcpServers(path.join(folder, "none.json")));
    expect(error).toMatchObject({ code: "MCP_CONFIG_FILE", details: { file: path.join(folder, "none.json") } });
  });

  test("too large", async () => {
    const error = await mcpError(connectMcpServers(await file(`{"mcpServers": {}, "x": "${"x".repeat(1_100_000)}"}`)));
    expect(error.code).toBe("MCP_CONFIG_FILE");
  });

  test.runIf(process.platform !== "win32")("one that never ends", async () => {
    expect((await mcpError(connectMcpServers("/dev/zero"))).code).toBe("MCP_CONFIG_FILE");
  });

  test("an option out of range", async () => {
    expect((await mcpError(connectMcpServers({ mcpServers: {} }, { timeoutMs: 0 }))).message).toContain("timeoutMs");
  });
});

describe("a server that does not come up", () => {
  test("an unknown command", async () => {
    const error = await mcpError(connectMcpServers({ mcpServers: { a: { command: "no-such-command-here" } } }));
    expect(error).toMatchObject({ code: "MCP_COMMAND_NOT_FOUND", details: { command: "no-such-command-here" } });
  });

  test("a working folder that is not there", async () => {
    const error = await mcpError(connectMcpServers({ mcpServers: { a: { command: "node", cwd: "/no/such/folder" } } }));
    expect(error.code).toBe("MCP_COMMAND_NOT_FOUND");
    expect(error.message).toContain("/no/such/folder");
  });

  test("an exit at once shows the code and the last words", async () => {
    const error = await mcpError(connectMcpServers({ mcpServers: { box: stdioToolbox("exit") } }));
    expect(error.code).toBe("MCP_SERVER_EXITED");
    expect(error.message).toContain("code 3");
    expect(error.message).toContain("no licence found");
    expect(error.message).not.toContain("\u001b");
  });

  test("of a long traceback the end is shown, and how the other servers are used without this one", async () => {
    const traceback = Array.from({ length: 12 }, (_, at) => `File ${at + 1}`).join("\\n");
    const broken = {
      command: "node",
      args: ["-e", `console.error("${traceback}\\nNameError: boom"); process.exit(1)`],
    };
    const error = await mcpError(connectMcpServers({ mcpServers: { broken, box: stdioToolbox() } }));
    expect(error.code).toBe("MCP_SERVER_EXITED");
    expect(error.message).toMatch(/on stderr:\nFile 8\n[\s\S]*\nNameError: boom\n/);
    expect(error.message).toContain('write "optional": true in mcpServers.broken');
    expect(String(error.details.stderr)).toContain("File 1\n");
    const alone = await mcpError(connectMcpServers({ mcpServers: { broken } }));
    expect(alone.message).not.toContain("optional");
  });

  test("values of variables show up neither in errors nor in the log; where it lives does", async () => {
    const program = "console.error(process.argv.at(-1), process.env.HOME, process.env.KEY); process.exit(3)";
    const entry = {
      command: "node",
      args: ["-e", program, "--", "${TOKEN}"],
      env: { KEY: "${TOKEN}", HOME: "${HOME}" },
    };
    const env = { TOKEN: "tok-1234567", HOME: "/somewhere/home" };
    const log: string[] = [];
    const options = { env, onLog: ({ text }: McpLogEntry) => log.push(text) };
    const exited = await mcpError(connectMcpServers({ mcpServers: { keyed: entry } }, options));
    const absent = { command: "/nowhere/${TOKEN}" };
    const missing = await mcpError(connectMcpServers({ mcpServers: { keyed: absent } }, options));
    expect([exited.code, missing.code]).toEqual(["MCP_SERVER_EXITED", "MCP_COMMAND_NOT_FOUND"]);
    expect(exited.details.stderr).toBe("[redacted] /somewhere/home [redacted]");
    expect(missing.details.command).toBe("/nowhere/[redacted]");
    for (const error of [exited, missing]) expect(`${error.stack}${error.cause}`).not.toContain("tok-1234567");
    expect(log.join()).not.toContain("tok-1234567");
  });

  test("silence ends at the limit and leaves no process", async () => {
    const before = performance.now();
    const error = await mcpError(
      connectMcpServers({ mcpServers: { box: stdioToolbox("silent") } }, { timeoutMs: 600, closeGraceMs: 200 }),
    );
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", details: { timeoutMs: 600 } });
    expect(performance.now() - before).toBeLessThan(15_000);
    expect(await childrenOfThisProcess()).toEqual([]);
  });

  test("an abort while connecting rejects with its reason and leaves no process", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    // Real time: the processes have to be started before.
    setTimeout(() => controller.abort(reason), 100);
    const work = connectMcpServers(
      { mcpServers: { one: stdioToolbox("silent"), two: stdioToolbox() } },
      { signal: controller.signal, closeGraceMs: 200 },
    );
    await expect(work).rejects.toBe(reason);
    expect(await childrenOfThisProcess()).toEqual([]);
    await expect(connectMcpServers({ mcpServers: {} }, { signal: controller.signal })).rejects.toBe(reason);
  });

  test("one of two fails: the other is ended, the one reason is thrown", async () => {
    const error = await mcpError(
      connectMcpServers({ mcpServers: { good: stdioToolbox(), bad: { command: "no-such-command-here" } } }),
    );
    expect(error.code).toBe("MCP_COMMAND_NOT_FOUND");
    expect(await childrenOfThisProcess()).toEqual([]);
  });

  test("several fail: every reason is given", async () => {
    const error = await mcpError(
      connectMcpServers({ mcpServers: { one: stdioToolbox("exit"), two: { command: "no-such-command-here" } } }),
    );
    expect(error.code).toBe("MCP_CONNECT");
    expect(error.details.failures).toMatchObject([
      { server: "one", code: "MCP_SERVER_EXITED" },
      { server: "two", code: "MCP_COMMAND_NOT_FOUND" },
    ]);
  });

  test("keys of other hosts that nothing reads are named, what describes a server to people is not", async () => {
    const { command, args } = stdioToolbox();
    const server = { command, args, description: "A box", disabledTools: ["add"], headers: { a: "b" } };
    await using connection = await connectMcpServers({ mcpServers: { box: server, other: stdioToolbox() } });
    expect(connection.servers.map(({ ignoredKeys }) => ignoredKeys)).toEqual([["disabledTools", "headers"], undefined]);
  });

  test("an optional one may fail", async () => {
    await using connection = await connectMcpServers({
      mcpServers: { good: stdioToolbox(), extra: { command: "no-such-command-here", optional: true } },
    });
    expect(await call(connection, "good/add", { a: 1, b: 1 })).toEqual({ sum: 2 });
    expect(connection.servers).toMatchObject([
      { name: "good", connected: true },
      { name: "extra", connected: false, error: { code: "MCP_COMMAND_NOT_FOUND" } },
    ]);
    // So that a gate for one of its tools is no misspelling.
    expect(connection.executor.unavailable?.("extra/send")).toMatch(/^MCP server extra is not connected: ./);
    expect(connection.executor.unavailable?.("good/add")).toBeUndefined();
    expect(connection.executor.unavailable?.("other/add")).toBeUndefined();
  });
});

test("a server that crashes and cannot be started again says why, call by call", async () => {
  const mark = path.join(folder, "mark");
  await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox(`once:${mark}`) } });
  expect((await mcpError(call(connection, "box/crash"))).code).toBe("MCP_CONNECTION_LOST");
  for (const error of await Promise.all([
    mcpError(call(connection, "box/pid")),
    mcpError(call(connection, "box/pid")),
  ])) {
    expect(error.code).toBe("MCP_SERVER_EXITED");
    expect(error.message).toContain("started before");
  }
  await rm(mark);
  expect(await call(connection, "box/add", { a: 1, b: 1 })).toEqual({ sum: 2 });
});

describe("what a server is started with", () => {
  test("folders start at the file; variables expand; nothing else leaks in", async () => {
    await mkdir(path.join(folder, "inner"), { recursive: true });
    const box = { ...stdioToolbox(), cwd: "inner", env: { GREETING: "${HELLO:-hi} ${WHO}", RAW: "$${WHO}" } };
    const config = await file(JSON.stringify({ mcpServers: { box, off: { command: "x", disabled: true } } }));
    const env = { PATH: process.env.PATH, WHO: "you ${HELLO}", OPENAI_API_KEY: "sk-secret" };
    await using connection = await connectMcpServers(config, { env });
    const variable = (name: string) => call(connection, "box/variable", { name });
    expect(await variable("GREETING")).toEqual({ value: "hi you ${HELLO}", cwd: path.join(folder, "inner") });
    expect(await variable("RAW")).toMatchObject({ value: "${WHO}" });
    expect(await variable("OPENAI_API_KEY")).toMatchObject({ value: null });
    expect(connection.servers.map(({ name }) => name)).toEqual(["box"]);
  });

  test("folders of a value start where the caller says", async () => {
    await using connection = await connectMcpServers({ mcpServers: { box: stdioToolbox() } }, { folder });
    expect(await call(connection, "box/variable", { name: "X" })).toMatchObject({ cwd: folder });
  });

  test.for([
    { name: "exits", last: "process.exit(0);" },
    { name: "has nothing more to do, though no connection was closed", last: "" },
  ])("a process that $name takes its servers with it", async ({ last }) => {
    const script = `
      import { connectMcpServers } from "@planloom/mcp";
      const connection = await connectMcpServers(${JSON.stringify({ mcpServers: { box: stdioToolbox("stubborn") } })});
      const task = { signal: new AbortController().signal, onProgress() {} };
      await connection.executor.execute({ uid: "box/slow", input_data: { ms: 200 } }, task);
      const { pid } = await connection.executor.execute({ uid: "box/pid", input_data: {} }, task);
      console.log(pid);
      ${last}`;
    const name = path.join(import.meta.dirname, "fixtures", `exit-${process.pid}.ts`);
    await writeFile(name, script);
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [name], { timeout: 20_000 });
      await expect.poll(() => isRunning(Number(stdout)), { timeout: 2_000 }).toBe(false);
    } finally {
      await rm(name);
    }
  });
});

/** Living children, by /proc where there is one. */
async function childrenOfThisProcess(): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const { stdout } = await promisify(execFile)("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.split("\n").filter((line) => line.includes("stdio-server.ts"));
}
