import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const cli = (...args: string[]) => runCliHere(args, home.env, home.path);

beforeAll(async () => {
  home = await temporaryHome();
  const plan = { task_id: "orders", title: "Orders", planned_tasks: [{ task_id: "first", tool_id: "load" }] };
  await writeFile(join(home.path, "plan.json"), JSON.stringify(plan));
});
afterAll(() => home.remove());

test("show --html writes a plan as one file that its owner alone can read", async () => {
  const { code, stdout } = await cli("show", "plan.json", "--html", "plan.html");
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${join(home.path, "plan.html")}\n` });
  const html = await readFile(join(home.path, "plan.html"), "utf8");
  expect(html).toContain('"title":"Orders"');
  expect((await stat(join(home.path, "plan.html"))).mode & 0o777).toBe(0o600);
});

test("a page that cannot be written is refused, and nothing is left", async () => {
  const before = await readdir(home.path);
  const { code, stderr } = await cli("show", "plan.json", "--html", "missing/plan.html");
  expect(code).toBe(2);
  expect(stderr).toMatch(/Cannot write .*missing\/plan\.html/);
  expect(await readdir(home.path)).toEqual(before);
});

test("--open hands the page to the program of BROWSER, and says what to do where it cannot be started", async () => {
  const { code, stderr } = await runCliHere(
    ["show", "plan.json", "--open"],
    { ...home.env, BROWSER: "no-such-browser" },
    home.path,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(/Cannot start "no-such-browser" to open file:.*\.html[\s\S]*Open the address yourself/);
});
