import { type OptionRow, runOptionTable } from "planloom/options";
import { expect, test } from "vitest";
import { commandLine } from "../../packages/cli/src/cli.ts";
import { errorText } from "../../packages/cli/src/options/option-places.ts";

test.for([
  {
    error: { code: "TASK_TIMEOUT", message: "It took longer than 5 ms. Raise `totalTimeoutMs`." },
    says: "It took longer than 5 ms. Raise `totalTimeoutMs` (a key of the configuration).",
  },
  {
    error: { code: "TASK_UNKNOWN_OUTCOME", message: "Say by `onUnknown`." },
    says: "Say by `onUnknown` (--on-unknown).",
  },
  {
    error: { code: "CONTROLLER_TIMEOUT", message: "Got nothing for 5 ms (`idleTimeoutMs`)." },
    says: "Got nothing for 5 ms (`idleTimeoutMs`, in `modelOptions` of the configuration).",
  },
  {
    error: { code: "CONTROLLER_OUTPUT", message: "Raise `maxTokens` or the context." },
    says: "Raise `maxTokens` (--max-tokens) or the context.",
  },
  // A tool has options of its own, and a plan has fields; `bind` is for code alone.
  { error: { code: "TASK_FAILED", message: "Raise `totalTimeoutMs`." }, says: "Raise `totalTimeoutMs`." },
  { error: { code: "TASK_INPUT", message: "Set `retry` or give `bind`." }, says: "Set `retry` or give `bind`." },
  { error: { message: "`onUnknown` of something else" }, says: "`onUnknown` of something else" },
])("$error.code: $says", ({ error, says }) => {
  expect(errorText(error)).toBe(says);
});

test("every option of a run that the command line can set is named with its place", () => {
  const rows: [string, OptionRow][] = Object.entries(runOptionTable);
  for (const [name, { flag, instance }] of rows.filter(([name]) => /[A-Z]/.test(name))) {
    const place = flag?.name.split(" ")[0] ?? (instance === "no" ? undefined : "a key of the configuration");
    const text = errorText({ code: "RUNTIME_INVALID_OPTION", message: `Raise \`${name}\`.` });
    expect(text).toBe(place === undefined ? `Raise \`${name}\`.` : `Raise \`${name}\` (${place}).`);
  }
});

test("every flag that the table of run options has is one of `run`", () => {
  const silent = { write() {} };
  const io = { stdout: silent, stderr: silent, env: {}, cwd: ".", signal: new AbortController().signal };
  const run = commandLine(io, false, () => {}).commands.find((command) => command.name() === "run")!;
  const taken = run.options.map(({ flags }) => flags);
  const rows: OptionRow[] = Object.values(runOptionTable);
  expect(rows.flatMap(({ flag }) => (flag === undefined || taken.includes(flag.name) ? [] : [flag.name]))).toEqual([]);
});
