import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  defineTool,
  memoryJournal,
  type OptionRow,
  type RunOptions,
  resume,
  run,
  runOptionTable,
  toolExecutor,
} from "@planloom/runtime";
import { expect, expectTypeOf, test } from "vitest";
import { runOptionsPage } from "../docs/run-options.ts";
import { repository, runCliHere } from "../support/run-cli.ts";
import { planOf } from "../support/run-plans.ts";

const rows = Object.entries(runOptionTable as Readonly<Record<string, OptionRow>>);
const executors = [toolExecutor([defineTool({ id: "a", description: "", execute: () => 1 })])];
const plan = planOf({ a: [] });

test("every option has a row, and every row is an option", () => {
  expectTypeOf<keyof typeof runOptionTable>().toEqualTypeOf<keyof RunOptions>();
});

test("docs/run-options.md is the table (node test/docs/run-options.ts writes it)", async () => {
  expect(await readFile(join(repository, "docs/run-options.md"), "utf8")).toBe(runOptionsPage());
});

test("every option of the command line that a row names is one of planloom run", async () => {
  const { stdout } = await runCliHere(["run", "--help"]);
  for (const [name, { flag }] of rows) if (flag !== undefined) expect(stdout, name).toMatch(new RegExp(`${flag}[ ,<]`));
});

const bad: Readonly<Record<string, readonly unknown[]>> = {
  positive: [0, -1, Number.NaN, "5", null],
  nonNegative: [-1, Number.NaN, "5", null],
  count: [0, 1.5, Number.NaN, "5", null],
  boolean: ["yes", 1, null],
  object: ["text", 5, null, []],
  function: ["text", 5, null, {}],
  signal: ["text", {}, null],
};
const wrong = rows.flatMap(([name, { check }]) =>
  (typeof check === "string" ? (bad[check] ?? []) : ["neither", 5, null]).map((value) => ({ name, value })),
);

test.for(wrong)(
  "$name: $value is refused before anything starts, and the error names the option",
  async ({ name, value }) => {
    const error = await run(plan, { executors, [name]: value }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
    expect((error as { details: { option: string } }).details.option.split(".")[0]).toBe(name);
  },
);

/** Values that differ from every default. */
const samples: Readonly<Record<string, unknown>> = {
  concurrency: 7,
  retry: { max_attempts: 2 },
  retryOn: { server: { max_attempts: 2 } },
  onFailure: "halt",
  onUnknown: "fail",
};
const kept = rows.flatMap(([name, { stored, check }]) =>
  stored === undefined ? [] : [{ name, stored, value: samples[name] ?? (check === "count" ? 7 : 1_234) }],
);

test.for(kept)("$name is kept as $stored, and a resumption has it again", async ({ name, stored, value }) => {
  const journal = memoryJournal();
  await run(plan, { executors, journal, runId: "r", [name]: value });
  const { options } = await journal.getRun("r");
  expect(options).toMatchObject({ [stored]: value });
  await resume("r", { executors, journal });
  expect((await journal.getRun("r")).options).toEqual(options);
});

test("what was not given is kept only where its row says so, and no limit is null", async () => {
  const journal = memoryJournal();
  await run(plan, {
    executors,
    journal,
    runId: "r",
    maxAttempts: Number.POSITIVE_INFINITY,
    totalTimeoutMs: Number.POSITIVE_INFINITY,
  });
  const { options } = await journal.getRun("r");
  const always = rows.flatMap(([, { stored, storedAlways }]) => (storedAlways ? [stored!] : []));
  const fields = new Set(rows.flatMap(([, { stored }]) => stored ?? []));
  expect(
    Object.keys(options)
      .filter((field) => fields.has(field))
      .sort(),
  ).toEqual([...always, "max_attempts"].sort());
  expect(options.max_attempts).toBeNull();
});
