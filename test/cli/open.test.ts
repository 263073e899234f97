import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { runCli } from "@planloom/cli";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

/** The id of a plan that lacks how much is ground. */
let draft: string;
let home: Awaited<ReturnType<typeof temporaryHome>>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);

/** A tool that ends once the page of its run was read, and one that writes. */
const config = `
import { defineTool } from ${library};
globalThis.pageWasRead ??= Promise.withResolvers();
export default { tools: [
  defineTool({ id: "mill/list", description: "List the batches", readOnly: true, execute: async () => { await globalThis.pageWasRead.promise; return ["rye"]; } }),
  defineTool({ id: "mill/grind", description: "Grind a batch of grain", input: { type: "object", properties: { grain: { type: "string" }, kilograms: { type: "number" } }, required: ["grain", "kilograms"] }, execute: ({ kilograms, grain }) => "ground " + kilograms + " of " + grain }),
] };
`;

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(join(home.path, "planloom.config.mjs"), config);
  const plan = (task_id: string, tool_id: string, given = {}) =>
    writeFile(
      join(home.path, `${task_id}.json`),
      JSON.stringify({ task_id, planned_tasks: [{ task_id: "first", tool_id, arguments: given }] }),
    );
  await plan("batches", "mill/list");
  await plan("grinding", "mill/grind", { grain: "rye", kilograms: 3 });
  const goal = ["plan", "Grind a batch of the grain rye", "--json", "--config", "planloom.config.mjs"];
  draft = JSON.parse((await runCliHere(goal, home.env, home.path)).stdout).plan_id;
});
afterAll(() => home.remove());

interface Started {
  readonly ended: Promise<number>;
  readonly written: { stdout: string; stderr: string };
  /** The address that the browser was given. */
  readonly address: Promise<URL>;
  stop(): void;
}

/** @param with_.ask answers what is asked at the terminal; `input` is piped in where there is none */
function start(
  args: readonly string[],
  with_: { ask?: (question: string) => Promise<string>; input?: Readable } = {},
): Started {
  const written = { stdout: "", stderr: "" };
  const address = Promise.withResolvers<URL>();
  const sink = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
      const [, found] = /(?:page|plan) is at (http\S+?)(?: |:? |\n|: )/.exec(written[name]) ?? [];
      if (found !== undefined) address.resolve(new URL(found.replace(/:$/, "")));
    },
  });
  const stop = new AbortController();
  const ended = runCli([...args, "--config", "planloom.config.mjs"], {
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    env: { ...home.env, PATH: process.env.PATH, BROWSER: "true" },
    cwd: home.path,
    signal: stop.signal,
    ...with_,
  } as Parameters<typeof runCli>[1]);
  void ended.then(() => address.reject(new Error(`ended: ${JSON.stringify(written)}`)));
  address.promise.catch(() => {});
  return { ended, written, address: address.promise, stop: () => stop.abort() };
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is looked at field by field
const get = async (address: URL, path: string): Promise<any> => {
  const response = await fetch(new URL(path, address));
  return response.headers.get("content-type")?.includes("json") ? response.json() : response.text();
};

test("run --open has the live page of the run while it runs, and keeps it until Enter", async () => {
  const enter = Promise.withResolvers<string>();
  const asked: string[] = [];
  const { ended, address } = start(["run", "batches.json", "--open"], {
    ask: (question) => {
      asked.push(question);
      return enter.promise;
    },
  });
  const at = await address;
  const [, runId] = /^#\/runs\/(.+)$/.exec(at.hash) ?? [];
  expect(await get(at, "/")).toContain("<title>");
  expect(await get(at, `/runs/${runId}`)).toMatchObject({ status: "running", plan_id: "batches" });
  (globalThis as { pageWasRead?: PromiseWithResolvers<void> }).pageWasRead?.resolve();
  await expect.poll(async () => (await get(at, `/runs/${runId}`)).status).toBe("completed");
  const { run } = await get(at, `/runs/${runId}/page`);
  expect(run.events.map(({ type }: { type: string }) => type)).toContain("task-end");
  enter.resolve("");
  expect(await ended).toBe(0);
  expect(asked).toEqual([expect.stringContaining("The page stays at")]);
  await expect(fetch(at)).rejects.toThrow();
});

test("open shows a run of before, and takes up nothing that others left", async () => {
  const { stdout } = await runCliHere(["list", "--json"], home.env, home.path);
  const [{ run_id }] = JSON.parse(stdout).runs;
  const { ended, address, stop } = start(["open", run_id.slice(0, 8)]);
  const at = await address;
  expect(at.hash).toBe(`#/runs/${run_id}`);
  expect(await get(at, `/runs/${run_id}/page`)).toMatchObject({ plan: { id: "batches" } });
  stop();
  expect(await ended).toBe(130);
});

test("open saves the plan of a file, and refuses one whose id another saved plan has", async () => {
  const { ended, address, stop } = start(["open", "grinding.json"]);
  expect((await address).hash).toBe("#/plans/grinding");
  expect((await get(await address, "/plans/grinding")).status).toBe("ready");
  stop();
  await ended;
  const other = { task_id: "grinding", planned_tasks: [{ task_id: "other", tool_id: "mill/list", arguments: {} }] };
  await writeFile(join(home.path, "other.json"), JSON.stringify(other));
  const refused = start(["open", "other.json"]);
  expect([await refused.ended, refused.written.stderr]).toEqual([2, expect.stringContaining("Another plan is saved")]);
});

test("run --edit --open hands a plan to the page, which runs it", async () => {
  const { ended, address, stop } = start(["run", draft, "--edit", "--open"]);
  const at = await address;
  expect(at.hash).toBe(`#/plans/${draft}`);
  const post = (path: string, body: object) =>
    fetch(new URL(path, at), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await post(`/plans/${draft}/answers`, { answers: { "grind.kilograms": 7 } })).status).toBe(200);
  const { run_id } = (await (await post("/runs", { plan_id: draft, confirm: "destructive" })).json()) as {
    run_id: string;
  };
  await expect.poll(async () => (await get(at, `/runs/${run_id}`)).status).toBe("completed");
  stop();
  await ended;
});

test("--ask takes answers from lines that are piped in, --no-ask asks nobody at a terminal", async () => {
  const words = ["run", "Grind a batch of the grain rye"];
  const short = start([...words, "--ask"], { input: Readable.from([]) });
  expect(await short.ended).toBe(3);
  const asked = start([...words, "--ask"], { input: Readable.from(["5\n", "y\n"]) });
  expect([await asked.ended, asked.written.stderr]).toEqual([0, ""]);
  expect(asked.written.stdout).toContain("ground 5 of rye");

  const ask = () => Promise.reject(new Error("asked"));
  const silent = start([...words, "--no-ask"], { ask });
  expect([await silent.ended, silent.written.stdout]).toEqual([3, expect.stringContaining("kilograms")]);
  const both = start(["plan", "grinding.json", "--ask", "--json"]);
  expect([await both.ended, both.written.stdout]).toEqual([2, expect.stringContaining("CLI_USAGE")]);
});
