import {
  defineTool,
  type Executor,
  type Journal,
  memoryJournal,
  Planloom,
  type PlanloomOptions,
  type PlanloomRunOptions,
  TaskData,
} from "planloom";
import { toolExecutor } from "planloom/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Misbehaviour, misbehaviours } from "./misbehaviours.ts";

export { type Misbehaviour, misbehaviours } from "./misbehaviours.ts";

export interface Setup {
  readonly options?: Partial<PlanloomOptions>;
  readonly run?: Partial<PlanloomRunOptions>;
  readonly plan?: TaskData;
  /** @default runs the plan */
  readonly start?: (planloom: Planloom, options: PlanloomRunOptions) => Promise<{ readonly end_reason: string }>;
}

/** How a run ends: its end reason, or the code of the error that it rejects with. */
type End = string;

export interface Row {
  readonly name: string;
  /** What a thenable that settles twice gives first. */
  readonly good?: unknown;
  /** How the run ends by default. */
  readonly end: End;
  /** Where it ends otherwise. */
  readonly ends?: Partial<Record<Misbehaviour, End>>;
  /** What an error or a warning calls it. */
  readonly reported: string;
  /** Where nothing is wrong, or nobody looks, so that nothing is reported. */
  readonly silent?: readonly Misbehaviour[];
  setup(misbehaving: () => never): Setup;
}

export const tool = defineTool({ id: "t", description: "The tool t", readOnly: true, execute: () => 1 });
export const failing = defineTool({
  id: "f",
  description: "The tool f",
  execute: () => {
    throw new Error("f fails");
  },
});
export const own = toolExecutor([tool]);
export const planOf = (...tasks: Record<string, unknown>[]) =>
  TaskData.parse({ planned_tasks: tasks.map((task, index) => ({ task_id: `a${index}`, ...task })) });
export const onePlan = planOf({ execution_type: "tool", tool_id: "t" });
export const withExecutor = (over: Partial<Executor>): Setup => ({
  options: { tools: [], executors: [{ ...own, ...over }] },
});

/** A journal one of whose methods misbehaves from when `isOn` says so. */
export function faultyJournal(method: keyof Journal, kind: Misbehaviour, isOn: () => boolean = () => true): Journal {
  return new Proxy(memoryJournal(), {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === "storesEvents") return true;
      if (typeof value !== "function") return key === method ? undefined : value;
      const real = value.bind(target) as (...given: unknown[]) => unknown;
      if (key !== method) return real;
      return (...given: unknown[]) => (isOn() ? misbehaviours[kind](real(...given))() : real(...given));
    },
  });
}

export const warnings: string[] = [];
export const unhandled: unknown[] = [];
const onWarning = (warning: Error) => warnings.push(warning.message);
const onUnhandled = (error: unknown) => unhandled.push(error);

/** Notes warnings and unhandled rejections of each test of a file. */
export function watchProcess(): void {
  beforeEach(() => {
    warnings.length = 0;
    unhandled.length = 0;
    process.on("warning", onWarning);
    process.on("unhandledRejection", onUnhandled);
  });
  afterEach(() => {
    process.off("warning", onWarning);
    process.off("unhandledRejection", onUnhandled);
  });
}

/** Short where something hangs that only a limit of a task or of Stage 2 ends; else long, since machines are busy. */
export const limitsOf = (hangs: boolean) => {
  const taskTimeoutMs = hangs ? 150 : 4_000;
  return {
    taskTimeoutMs,
    bindTimeoutMs: taskTimeoutMs,
    dispatchTimeoutMs: taskTimeoutMs,
    journalTimeoutMs: 100,
    paceTimeoutMs: 100,
    abortGraceMs: 50,
  };
};
/** Far more than all limits together: what has not ended by then never does. */
const patienceMs = 5_000;

export async function within<Value>(work: Promise<Value>): Promise<Value | "hangs"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"hangs">((resolve) => {
    timer = setTimeout(resolve, patienceMs, "hangs");
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function outcome(
  setup: Setup,
  signal?: AbortSignal,
  hangs = false,
): Promise<{ end: End; text: string; closed: unknown }> {
  const planloom = new Planloom({
    tools: [tool, failing],
    journal: memoryJournal(),
    ...limitsOf(hangs),
    planner: { timeoutMs: limitsOf(hangs).taskTimeoutMs },
    ...setup.options,
  });
  const options = { ...setup.run, ...(signal !== undefined && { signal }) };
  const start = setup.start ?? ((given: Planloom) => given.run(setup.plan ?? onePlan, options));
  const work = (async () => start(planloom, options))().then(
    (result) => ({ end: result.end_reason, text: JSON.stringify(result) }),
    (error: { code?: string; name: string; message: string }) => ({
      end: error.code === undefined || typeof error.code !== "string" ? error.name : error.code,
      text: error.message,
    }),
  );
  const ended = await within(work);
  // Warnings and unhandled rejections come a turn later.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const closed = await within(planloom.close().then(() => "closed"));
  return ended === "hangs" ? { end: "hangs", text: "", closed } : { ...ended, closed };
}

/** Each row with every fault: to its end, and with an abort. */
export function testRows(rows: readonly Row[]): void {
  describe.each(rows)("$name", (row) => {
    test.each(Object.keys(misbehaviours) as Misbehaviour[])("that %s", async (kind) => {
      const misbehaving = misbehaviours[kind](row.good) as () => never;
      const hangs = kind === "never settles" && row.end !== "completed" && row.end !== "responded";
      const { end, text, closed } = await outcome(row.setup(misbehaving), undefined, hangs);
      expect(closed).toBe("closed");
      expect(unhandled).toEqual([]);
      expect(end).toBe(row.ends?.[kind] ?? row.end);
      const isReported = row.silent?.includes(kind) !== true;
      if (isReported) expect([text, ...warnings].join("\n")).toContain(row.reported);
      else expect(warnings).toEqual([]);
    });

    test.each(Object.keys(misbehaviours) as Misbehaviour[])("that %s does not hold up an abort", async (kind) => {
      const misbehaving = misbehaviours[kind](row.good) as () => never;
      const { end, closed } = await outcome(row.setup(misbehaving), AbortSignal.timeout(20));
      expect(end).not.toBe("hangs");
      expect(closed).toBe("closed");
      expect(unhandled).toEqual([]);
    });
  });
}
