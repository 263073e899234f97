// A process with a Planloom over a journal that others have, too: `node limited-process.ts JSON`. It runs, prints one line of JSON, and ends.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, Planloom, type PlanloomOptions, type PlanloomRunOptions, TaskData } from "planloom";

/** What a process is to do. */
export interface LimitedWork {
  readonly journal: string;
  /** File that each call is written to as it begins and ends. */
  readonly log: string;
  readonly options: PlanloomOptions;
  readonly runs: readonly (Pick<PlanloomRunOptions, "concurrency" | "priority" | "weight"> & {
    readonly tenant?: string;
    readonly tasks: number;
  })[];
  /** How long a call lasts, in milliseconds. @default 5 */
  readonly callMs?: number;
  /** Stays, with its instance open, until it is killed. @default false */
  readonly stays?: boolean;
}

/** One line of the log: `b` a call begins, `e` it ends; milliseconds of the clock that processes share. */
export interface LoggedCall {
  readonly what: "b" | "e";
  readonly pid: number;
  readonly tenant: string;
  readonly id: string;
  readonly atMs: number;
}

export const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

if (process.argv[1] === import.meta.filename) await main(JSON.parse(process.argv[2]!) as LimitedWork);

async function main({ journal, log, options, runs, callMs = 5, stays = false }: LimitedWork): Promise<void> {
  let calls = 0;
  const work = defineTool({
    id: "work",
    description: "Is seen by an observer.",
    input: { type: "object" },
    readOnly: true,
    async execute({ tenant = "" }, { signal }) {
      const id = `${process.pid}-${calls++}`;
      const write = (what: LoggedCall["what"]) =>
        appendFileSync(log, `${JSON.stringify({ what, pid: process.pid, tenant, id, atMs: sharedMs() })}\n`);
      write("b");
      try {
        await sleep(callMs, undefined, { signal });
      } finally {
        write("e");
      }
      return {};
    },
  });
  const planloom = new Planloom({ tools: [work], journal, limitScope: "journal", ...options });
  const ends = await Promise.all(
    runs.map(async ({ tasks, ...given }) => {
      const { tenant } = given;
      const plan = TaskData.parse({
        planned_tasks: Array.from({ length: tasks }, (_, at) => ({
          task_id: `t${at}`,
          execution_type: "tool",
          tool_id: "work",
          arguments: { at, tenant: tenant ?? "" },
        })),
      });
      try {
        return (await planloom.run(plan, given)).end_reason;
      } catch (error) {
        return String((error as { code?: unknown }).code ?? error);
      }
    }),
  );
  process.stdout.write(`${JSON.stringify(ends)}\n`);
  if (stays) await sleep(2 ** 31 - 1);
  await planloom.close();
}
