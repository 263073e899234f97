import { approve, defineTool, memoryJournal, Planloom, PlanloomError } from "planloom";
import type { LogFields, Logger } from "planloom/options";
import { expect, test } from "vitest";

/** Lines as `level message fields`; those of a child have its fields first. */
function collecting(): { readonly lines: { level: string; message: string; fields: LogFields }[]; logger: Logger } {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const make = (bound: LogFields): Logger => {
    const write = (level: string) => (fields: LogFields, message: string) => {
      lines.push({ level, message, fields: { ...bound, ...fields } });
    };
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      child: (fields) => make({ ...bound, ...fields }),
    };
  };
  return { lines, logger: make({}) };
}

const secretive = defineTool({
  id: "secretive",
  description: "Takes and gives what must not be logged",
  readOnly: true,
  execute: () => ({ confidential: "output" }),
});
let attempts = 0;
const flaky = defineTool({
  id: "flaky",
  description: "Fails once",
  readOnly: true,
  execute() {
    attempts += 1;
    if (attempts === 1) throw new Error("no line");
    return 1;
  },
});
const task = (task_id: string, tool_id: string, rest: object = {}) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id,
  ...rest,
});

test("a run is written with its id in each line, tasks at debug, retries at warn, and no arguments or outputs", async () => {
  const { lines, logger } = collecting();
  await using planloom = new Planloom({ tools: [secretive, flaky], logger });
  const { run_id } = await planloom.run({
    planned_tasks: [
      task("a", "secretive", { arguments: { private: "input" } }),
      task("b", "flaky", { retry: { max_attempts: 2, initial_delay_ms: 1 } }),
    ],
  });
  expect(lines.every(({ fields }) => fields.run_id === run_id)).toBe(true);
  const said = lines.map(({ level, message }) => `${level} ${message}`);
  expect(said[0]).toBe("info a run began");
  expect(said.at(-1)).toBe("info a run ended");
  expect(said).toContain("warn an attempt failed, and is repeated");
  expect(said.filter((line) => line === "debug a task was completed")).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toMatch(/confidential|private|"input"/);
});

test("a failure is an error with code and reason; what waits for a person and the answer are lines", async () => {
  const { lines, logger } = collecting();
  const { child: _, ...plain } = logger;
  const pay = defineTool({ id: "pay", description: "Pays", execute: () => Promise.reject(new Error("no money")) });
  const journal = memoryJournal();
  // Without `child` the id is in each line.
  await using planloom = new Planloom({ tools: [pay], journal, logger: plain });
  const { run_id } = await planloom.run({ planned_tasks: [task("pay", "pay", { approval: "required" })] });
  await approve(run_id, "pay", { journal });
  await planloom.resume(run_id);
  expect(lines).toContainEqual({
    level: "info",
    message: "a call waits for a person",
    fields: { run_id, task_id: "pay", resource: "pay" },
  });
  expect(lines).toContainEqual({
    level: "error",
    message: "a task failed",
    fields: { run_id, task_id: "pay", attempts: 1, code: "TASK_FAILED", reason: "no money" },
  });
  expect(lines.at(-1)).toMatchObject({ level: "error", fields: { run_id, end_reason: "failed" } });
});

test("a logger that throws does not reach the run, and what is no logger is refused", async () => {
  const errors: unknown[] = [];
  const broken = () => {
    throw new Error("disk full");
  };
  await using planloom = new Planloom({
    tools: [secretive],
    logger: { debug: broken, info: broken, warn: broken, error: broken },
    onListenerError: (error) => errors.push(error),
  });
  const { end_reason } = await planloom.run({ planned_tasks: [task("a", "secretive")] });
  expect(end_reason).toBe("completed");
  expect(errors.length).toBeGreaterThan(0);
  expect(() => new Planloom({ logger: {} as Logger })).toThrow(PlanloomError);
});
