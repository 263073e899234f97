import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findLocalServers, sayServer } from "../../packages/cli/src/local-servers.ts";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

const home = await temporaryHome();
beforeAll(() => mkdir(home.path, { recursive: true }));
afterAll(() => home.remove());

async function serve(answer: (path: string) => string | Buffer): Promise<number> {
  const server = createServer((request, response) => response.end(answer(request.url ?? "")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("weights are pulled, listed, used, and named in a command", async () => {
  const content = Buffer.from("GGUF, and no model");
  const sha256 = createHash("sha256").update(content).digest("hex");
  const url = `http://127.0.0.1:${await serve(() => content)}/tiny.gguf`;
  const without = await runCliHere(["model", "pull", url], home.env);
  expect(without.code).toBe(1);
  expect(without.stderr).toMatch(/--sha256/);
  const pulled = await runCliHere(["model", "pull", url, "--sha256", sha256], home.env);
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining("planloom model use tiny") });
  expect((await runCliHere(["model", "use", "other"], home.env)).stderr).toMatch(/There are: tiny/);
  expect((await runCliHere(["model", "use"], home.env)).code).toBe(2);
  expect((await runCliHere(["model", "use", "tiny"], home.env)).code).toBe(0);
  const listed = JSON.parse((await runCliHere(["model", "list", "--json"], home.env)).stdout);
  expect(listed).toMatchObject({ models: [{ name: "tiny", sha256, url }], in_use: { name: "tiny" } });

  const who = async (...args: string[]) => {
    const { stdout } = await runCliHere(["doctor", ...args, "--json"], home.env);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; message: string }[] };
    return ["model", "controller"].map((name) => checks.find((check) => check.name === name)?.message);
  };
  expect(await who()).toEqual([expect.stringContaining("tiny in this process"), "llm:tiny plans"]);
  const file = join(home.path, "mine.gguf");
  await writeFile(file, content);
  expect(await who("--model", `local:${file}`)).toEqual([
    expect.stringContaining("mine in this process"),
    "llm:mine plans",
  ]);
  const flag = await runCliHere(["plan", "x", "--model-api", "responses"], home.env);
  expect(flag.stderr).toMatch(/--model-api has no effect on a model in this process/);
  expect((await runCliHere(["model", "use", "--none"], home.env)).code).toBe(0);
  expect((await who())[1]).toBe("embedded plans");
});

test("servers of this machine are found at their ports, with their models; others are not taken for them", async () => {
  const models = (...entries: object[]) => JSON.stringify({ data: entries });
  const ports = await Promise.all([
    serve((path) => (path === "/v1/models" ? models({ id: "qwen:1b" }, { id: "b" }) : "")),
    serve(() => models({ id: "x", owned_by: "somebody" })),
    serve(() => models({ id: "y", owned_by: "llamacpp" })),
    serve(() => "<html>"),
  ]);
  const [ollama, other, llama, page] = ports as [number, number, number, number];
  const free = await serve(() => "");
  const servers = [
    { name: "Ollama", port: ollama },
    { name: "llama-server", port: other, owner: "llamacpp" },
    { name: "llama-server", port: llama, owner: "llamacpp" },
    { name: "LM Studio", port: page },
    { name: "LM Studio", port: free },
  ];
  expect(await findLocalServers(servers, new AbortController().signal)).toEqual([
    { name: "Ollama", baseURL: `http://127.0.0.1:${ollama}/v1`, models: ["qwen:1b", "b"] },
    { name: "llama-server", baseURL: `http://127.0.0.1:${llama}/v1`, models: ["y"] },
  ]);
});

test.for([
  ["qwen:1b", "--model qwen:1b"],
  ["My model", "--model 'My model'"],
  ["x; rm -rf ~", "--model 'x; rm -rf ~'"],
  ["it's $(id)", "--model 'it'\\''s $(id)'"],
] as const)("the line to type takes the name of a model as one word: %s", ([model, end]) => {
  expect(sayServer({ name: "Ollama", baseURL: "http://127.0.0.1:1/v1", models: [model] }).endsWith(end)).toBe(true);
});

test("a name that is longer than anybody types is none", async () => {
  const port = await serve(() => JSON.stringify({ data: [{ id: "x".repeat(5_000) }, { id: "b" }] }));
  const [found] = await findLocalServers([{ name: "Ollama", port }], new AbortController().signal);
  expect(found?.models).toEqual(["b"]);
});
