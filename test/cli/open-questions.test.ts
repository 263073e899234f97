import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCli } from "@planloom/cli";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { repository, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
const config = `
import { defineTool } from ${library};
const text = { type: "string" };
const tool = (id, description, properties, required) =>
  defineTool({ id, description, readOnly: true, input: { type: "object", properties, required },
    execute: (value) => { globalThis.questionCalls.push(value); return "done"; } });
export default { tools: [
  tool("hub/list_issues", "List the issues of a repository", { owner: { ...text, description: "Account that owns it" },
    repo: text, state: { enum: ["open", "closed"] }, limit: { type: "integer" } }, ["owner", "repo", "state"]),
  tool("vault/rotate", "Rotate the keys of a vault", { vault: text, access_token: text }, ["vault", "access_token"]),
] };
`;
const calls: unknown[] = [];
Object.assign(globalThis, { questionCalls: calls });

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(join(home.path, "planloom.config.mjs"), config);
  const rival = `tool("hub/comment_issue", "Comment on an issue", { number: { type: "integer" } }, ["number"]),`;
  await writeFile(join(home.path, "rival.config.mjs"), config.replace("tools: [", `tools: [${rival}`));
});
afterAll(() => home.remove());
beforeEach(() => {
  calls.length = 0;
});

/** With `answers` somebody sits at the terminal. */
async function cli(args: readonly string[], answers?: (string | undefined)[], file = "planloom.config.mjs") {
  const written = { stdout: "", stderr: "" };
  const asked: string[] = [];
  const sink = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) });
  const ask = async (question: string) => {
    asked.push(question);
    return answers?.shift();
  };
  const code = await runCli([...args, "--config", join(home.path, file)], {
    ...{ stdout: sink("stdout"), stderr: sink("stderr"), env: home.env, cwd: repository },
    ...{ signal: new AbortController().signal, ...(answers && { ask }) },
  });
  return { code, asked, ...written };
}

/** The words after the command's name of the line to type. */
const nextOf = (stdout: string): string[] => JSON.parse(stdout).next[0].slice(1);

test("without a terminal, plan and run keep the draft, end with 3, and give the questions and the line that answers them", async () => {
  for (const command of ["plan", "run"]) {
    const said = await cli([command, "List the closed issues"]);
    expect(said.code).toBe(3);
    const flat = said.stdout.replace(/\s+/g, " ");
    expect(flat).toContain("list_issues.owner string, of hub/list_issues Account that owns it");
    expect(said.stdout).toMatch(/planloom run \S+ --set list_issues.owner=OWNER --set list_issues.repo=REPO/);
    const asData = await cli([command, "List the closed issues", "--json"]);
    expect(asData.code).toBe(3);
    const data = JSON.parse(asData.stdout);
    expect(data.questions).toMatchObject([{ name: "list_issues.owner" }, { name: "list_issues.repo", type: "string" }]);
    expect(data.plan.metadata.questions).toEqual(data.questions);
    expect(nextOf(asData.stdout).slice(0, 2)).toEqual(["run", data.plan_id]);
    expect(calls).toEqual([]);
  }
});

test("run ID --set completes a saved draft, one answer after the other, and runs it", async () => {
  const { plan_id: id } = JSON.parse((await cli(["plan", "List the closed issues", "--json"])).stdout);
  const half = await cli(["run", id, "--set", "list_issues.owner=facebook", "--json"]);
  expect([half.code, nextOf(half.stdout)]).toEqual([3, expect.arrayContaining(["run", id, "list_issues.repo=REPO"])]);
  const run = await cli(["run", id, "--set", "list_issues.repo=42", "--set", "list_issues.limit=42", "--json"]);
  expect([run.code, JSON.parse(run.stdout).end_reason]).toEqual([0, "completed"]);
  expect(calls).toEqual([{ owner: "facebook", repo: "42", state: "closed", limit: 42 }]);
  // Completed once, it runs as it is.
  expect((await cli(["run", id, "--json"])).code).toBe(0);
  expect(calls).toHaveLength(2);
});

test("plan --set answers at once; a wrong name or value is refused with the way out", async () => {
  const both = ["--set", "list_issues.owner=facebook", "--set", "list_issues.repo=react"];
  const plan = JSON.parse((await cli(["plan", "List the closed issues", ...both, "--json"])).stdout);
  expect(plan.planned_tasks[0].arguments).toEqual({ owner: "facebook", repo: "react", state: "closed" });
  const wrong = async (pair: string) => {
    const { code, stderr } = await cli(["run", plan.task_id, "--set", pair]);
    return [code, stderr];
  };
  expect(await wrong("list_issues.ownr=x")).toEqual([2, expect.stringContaining('Did you mean "list_issues.owner"?')]);
  expect(await wrong("list_issues.limit=many")).toEqual([2, expect.stringContaining("PLANNER_ANSWER_INVALID")]);
  expect(await wrong("facebook")).toEqual([2, expect.stringContaining("--set TASK.ARGUMENT=VALUE")]);
  expect(calls).toEqual([]);
});

test("on a terminal each argument is asked for with its type and choices, and asked again where the answer does not fit", async () => {
  const { code, asked, stdout } = await cli(["run", "List the issues"], ["facebook", "react", "shut", "open"]);
  expect(code).toBe(0);
  expect(asked).toEqual([
    "  list_issues.owner (Enter leaves it open): ",
    "  list_issues.repo (Enter leaves it open): ",
    ...Array.from({ length: 2 }, () => expect.stringContaining("list_issues.state (")),
  ]);
  expect(stdout).toContain("one of open, closed");
  expect(calls).toEqual([{ owner: "facebook", repo: "react", state: "open" }]);
});

test("the line to copy guesses no choice: which of several is meant stays to be typed", async () => {
  const { code, stdout } = await cli(["plan", "List issues of facebook/react"]);
  expect(code).toBe(3);
  expect(stdout).toContain("one of open, closed");
  expect(stdout).toMatch(/--set list_issues.state=STATE/);
});

test("what is left open on the terminal stays a draft with the answers that were given", async () => {
  const { code, stdout } = await cli(["plan", "List the closed issues"], ["facebook", ""]);
  expect(code).toBe(3);
  expect(stdout).toMatch(/planloom run \S+ --set list_issues.repo=REPO/);
  expect(stdout).not.toContain("--set list_issues.owner");
});

test("a credential is never asked for as text", async () => {
  const { code, asked, stdout } = await cli(
    ["run", "Rotate the keys of a vault", "--set", "rotate.vault=main"],
    ["hunter2"],
  );
  expect([code, asked]).toEqual([3, []]);
  expect(stdout).toContain(`--set 'rotate.access_token={"$secret": "ACCESS_TOKEN"}' --secret ACCESS_TOKEN`);
});

test("plan --why shows the words of each task, its arguments whole, and the next best tools with their scores", async () => {
  const set = ["--set", "list_issues.owner=facebook", "--set", `list_issues.repo=${"long-".repeat(20)}`];
  const { code, stdout } = await cli(
    ["plan", "List the closed issues", ...set, "--why"],
    undefined,
    "rival.config.mjs",
  );
  expect(code).toBe(0);
  const flat = stdout.replace(/\s+/g, " ");
  expect(flat).toMatch(/Why list_issues hub\/list_issues for "List the closed issues", score [\d.-]+ /);
  expect(stdout.replace(/\s+/g, "")).toContain(`repo:"${"long-".repeat(20)}"`);
  expect(flat).toMatch(/next best: hub\/comment_issue \([\d.-]+\)/);
});
