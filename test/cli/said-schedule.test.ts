// A goal that is to be carried out again and again ("every Monday at 9, …"), through `plan`, `run`, `schedule` and `scheduler`.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, startCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
beforeAll(async () => {
  home = await temporaryHome();
  const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
  await writeFile(
    join(home.path, "planloom.config.mjs"),
    `import { defineTool } from ${library};
const plank = { type: "object", properties: { plank: { type: "string" }, quantity: { type: "integer" } }, required: ["plank", "quantity"] };
export default { tools: [
  defineTool({ id: "list_orders", description: "List the open orders", readOnly: true, execute: () => [{ id: 1 }] }),
  defineTool({ id: "order_plank", description: "Order planks of a sort", input: plank, execute: (ordered) => ordered }),
] };`,
  );
});
afterAll(() => home.remove());

const cli = (...args: string[]) => runCliHere(args, home.env, home.path);
const planned = async (goal: string): Promise<{ task_id: string; metadata: object; planned_tasks: object[] }> =>
  JSON.parse((await cli("plan", goal, "--json")).stdout);

test.for([
  ["every Monday at 9 list the open orders", "every Monday at 9", "0 9 * * 1"],
  ["list the open orders every 10 minutes", "every 10 minutes", "*/10 * * * *"],
  ["daily at 6 pm, list the open orders", "daily at 6 pm", "0 18 * * *"],
] as const)(
  "%s: the plan says how often, and a run at once is refused with both commands",
  async ([goal, text, cron]) => {
    const shown = await cli("plan", goal);
    expect(shown.code).toBe(0);
    const line = new RegExp(`${text}\\n  \\$ planloom schedule (\\S+) --cron '${cron.replaceAll("*", "\\*")}'`);
    expect(shown.stdout).toMatch(line);
    const run = await cli("run", goal);
    expect([run.code, run.stdout]).toEqual([2, expect.not.stringContaining("completed")]);
    const [, id = ""] = /once, now: planloom run (\S+)/.exec(run.stderr) ?? [];
    expect(run.stderr).toContain(`"${text}" says how often`);
    expect(run.stderr).toContain(`planloom schedule ${id} --cron '${cron}'`);
    const refused = await cli("run", goal, "--json");
    expect(JSON.parse(refused.stdout).error).toMatchObject({ code: "CLI_USAGE", details: { text, cron } });
    // What was refused is saved: once, now, is what its command says.
    const once = await cli("run", id, "--yes", "--json");
    expect([once.code, JSON.parse(once.stdout).end_reason]).toEqual([0, "completed"]);
  },
);

test("a goal that says when, and not how often, is run", async () => {
  const { code, stdout } = await cli("run", "list the open orders", "--json");
  expect([code, JSON.parse(stdout).end_reason]).toEqual([0, "completed"]);
});

test("`schedule` takes the times from the plan, and what waited only because it was no schedule waits no more", async () => {
  const plan = await planned("every Monday at 9 order 5 of plank P-7");
  expect(plan.planned_tasks).toMatchObject([{ task_id: "order_plank", approval: "required" }]);
  const made = await cli("schedule", plan.task_id, "--id", "mondays", "--zone", "Europe/Berlin", "--json");
  expect(JSON.parse(made.stdout)).toMatchObject({ cron: "0 9 * * 1", zone: "Europe/Berlin", next_at: /T0[78]:00/ });
  const listed = await cli("schedule", "--list");
  expect(listed.stdout).toMatch(/mondays +[\d-]+ 0[78]:00 +every Monday at 9 order.* 0 9 \* \* 1 +Europe\/Berlin/);
  // Its own words do not bind: other times are times, too, and the machine's zone is that of a person.
  const often = await cli("schedule", plan.task_id, "--id", "often", "--cron", "* * * * * *", "--json");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(JSON.parse(often.stdout)).toMatchObject({ cron: "* * * * * *", zone });
  const scheduler = startCliHere(["scheduler", "--json", "--every", "1"], home.env, home.path);
  const heard = await scheduler.said((text) => text.includes("\n"));
  await scheduler.stop();
  const { run_id, end_reason } = JSON.parse(heard.split("\n")[0]!);
  expect(end_reason).toBe("completed");
  const { tasks } = JSON.parse((await cli("show", run_id, "--json")).stdout);
  expect(tasks).toMatchObject([{ task_id: "order_plank", output: { plank: "P-7", quantity: 5 } }]);
}, 30_000);

test("run once, by its id, what it would change waits for a person", async () => {
  const plan = await planned("every Monday at 9 order 5 of plank P-7");
  const { code, stdout } = await cli("run", plan.task_id, "--yes", "--json");
  expect([code, JSON.parse(stdout).end_reason]).toEqual([3, "waiting_approval"]);
});

test("a plan whose goal says no times, and a goal in place of a plan, are refused with what to do", async () => {
  const { task_id } = await planned("list the open orders");
  const none = await cli("schedule", task_id);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--cron "0 9 * * 1"')]);
  const goal = await cli("schedule", "every Monday at 9 list the open orders");
  expect([goal.code, goal.stderr]).toEqual([
    2,
    expect.stringContaining("A goal is planned first: planloom plan 'every Monday at 9 list the open orders'"),
  ]);
  for (const name of ["my plan.json", "plans/of mine"])
    expect((await cli("schedule", name, "--cron", "0 9 * * 1")).stderr).toContain("planloom list shows");
});
