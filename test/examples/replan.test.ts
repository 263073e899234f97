import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a changed schema and a dead server do not end the run, and the diff says what became of the plan", async () => {
  const main = new URL("../../examples/replan/src/main.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", main]);
  expect(stdout).toContain("The arguments of `shipments_list` now fit `harbour/shipments_list`.");
  expect(stdout).toContain('arguments.facility_ids: nothing → "${facilities_list.*.id}"');
  expect(stdout).toContain('tool_id: "laboratory/contaminants_list" → "archive/contaminants_list"');
  expect(stdout).toMatch(/^completed: [1-9]\d* contaminants, after 2 changes of the plan$/m);
}, 60_000);
