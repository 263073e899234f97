import {
  defineTool,
  defineWorkflow,
  Planloom,
  type PlanloomOptions,
  type PlanloomRunOptions,
  TaskData,
} from "planloom";
import { vi } from "vitest";
import { VirtualTime } from "./virtual-time.ts";

export interface LiveRun extends Pick<PlanloomRunOptions, "weight" | "priority" | "deadline" | "concurrency"> {
  readonly name: string;
  readonly tenant?: string;
  /** When it begins. @default 0 */
  readonly atMs?: number;
  /** How long each of its calls takes. */
  readonly callsMs: readonly number[];
  /** @default "tasks" */
  readonly shape?: keyof typeof shapes;
}

/** A call that a run made, in milliseconds of simulated time. */
export interface LiveCall {
  readonly run: string;
  readonly beganMs: number;
  readonly endedMs: number;
  /** How many calls of all runs waited when it began. */
  readonly queued: number;
}

type Shape = (name: string, callsMs: readonly number[]) => readonly Record<string, unknown>[];
const tool = { execution_type: "tool", tool_id: "work" };
const taskFor = (of: string) => (ms: number, at: number) => ({ task_id: `t${at}`, ...tool, arguments: { of, ms, at } });

/** Plans that make a call for each length. */
const shapes = {
  tasks: (of, callsMs) => callsMs.map(taskFor(of)),
  chain: (of, callsMs) =>
    callsMs.map(taskFor(of)).map((task, at) => ({ ...task, dependencies: at === 0 ? [] : [`t${at - 1}`] })),
  "chain with pauses": (of, callsMs) =>
    callsMs.flatMap((ms, at) => [
      { ...taskFor(of)(ms, at), dependencies: at === 0 ? [] : [`p${at - 1}`] },
      { task_id: `p${at}`, ...tool, tool_id: "pause", dependencies: [`t${at}`] },
    ]),
  "two chains": (of, callsMs) =>
    callsMs.map(taskFor(of)).map((task, at) => ({ ...task, dependencies: at < 2 ? [] : [`t${at - 2}`] })),
  list: (of, items) => [
    { task_id: "list", ...tool, for_each: { items }, arguments: { of, ms: "${item}", at: "${index}" } },
  ],
  "list, two at once": (of, items) => [
    { task_id: "list", ...tool, for_each: { items, concurrency: 2 }, arguments: { of, ms: "${item}", at: "${index}" } },
  ],
  "list of two calls": (of, items) => {
    const first = { task_id: "first", ...tool, arguments: { of, ms: "${item}", at: "${index}" } };
    const second = { task_id: "second", ...tool, arguments: { of, ms: "${first}", at: "${index}" } };
    return [{ task_id: "list", for_each: { items: items.slice(0, items.length / 2), tasks: [first, second] } }];
  },
  workflows: (of, callsMs) =>
    callsMs.map((ms, at) => ({
      task_id: `w${at}`,
      execution_type: "dsl",
      parameters: { uid: "flow" },
      arguments: { of, ms, at },
    })),
} satisfies Record<string, Shape>;

const flow = defineWorkflow({
  id: "flow",
  description: "Makes one call.",
  plan: TaskData.parse({
    planned_tasks: [
      { task_id: "only", ...tool, arguments: { of: "${input.of}", ms: "${input.ms}", at: "${input.at}" } },
    ],
  }),
});

/** Plays runs of one instance in time that is simulated. @returns their calls, in the order in which they began */
export async function playRuns(options: PlanloomOptions, runs: readonly LiveRun[]): Promise<LiveCall[]> {
  const time = new VirtualTime();
  const clock = vi.spyOn(performance, "now").mockImplementation(time.now);
  const timers = time.takeTimers();
  const made: LiveCall[] = [];
  const work = defineTool({
    id: "work",
    description: "Takes as long as it is asked to.",
    input: { type: "object" },
    readOnly: true,
    async execute(input) {
      const { of, ms } = input as { readonly of: string; readonly ms: number };
      const { queuedCalls: queued } = planloom.limits.load();
      made.push({ run: of, beganMs: time.ms, endedMs: time.ms + ms, queued });
      await time.sleep(ms);
      time.stir();
      return ms;
    },
  });
  const pause = defineTool({
    id: "pause",
    description: "Takes two milliseconds, and no limit binds it.",
    input: { type: "object" },
    readOnly: true,
    async execute() {
      await time.sleep(2);
      time.stir();
      return null;
    },
  });
  const planloom = new Planloom({
    tools: [work, pause],
    workflows: [flow],
    taskTimeoutMs: Number.POSITIVE_INFINITY,
    ...options,
  });
  let left = runs.length;
  for (const { name, callsMs, atMs = 0, shape = "tasks", ...given } of runs) {
    const plan = TaskData.parse({ planned_tasks: shapes[shape](name, callsMs) });
    time.at(atMs, async () => {
      const { end_reason } = await planloom.run(plan, given);
      if (end_reason !== "completed") throw new Error(`The run ${name} ended ${end_reason}.`);
      left--;
      time.stir();
    });
  }
  try {
    await time.play(() => left === 0);
  } finally {
    clock.mockRestore();
    timers[Symbol.dispose]();
    await planloom.close();
  }
  return made;
}

/** The slot time of a run until then. */
export function servedMs(made: readonly LiveCall[], run: string, untilMs: number): number {
  const own = made.filter((call) => call.run === run && call.beganMs < untilMs);
  return own.reduce((sum, { beganMs, endedMs }) => sum + Math.min(endedMs, untilMs) - beganMs, 0);
}

/** The share of slot time that a run had while all of them had calls to make. */
export function shareOf(made: readonly LiveCall[], run: string): number {
  const names = [...new Set(made.map((call) => call.run))];
  const untilMs = Math.min(...names.map((name) => made.findLast((call) => call.run === name)!.beganMs));
  const all = names.reduce((sum, name) => sum + servedMs(made, name, untilMs), 0);
  return servedMs(made, run, untilMs) / all;
}
