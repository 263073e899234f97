import { setImmediate } from "node:timers/promises";
import type { Dispatcher, DispatchReply, DispatchRequest } from "@planloom/runtime";

/**
 * A dispatcher in virtual time: every subgraph takes `durationMs` of it, and the clock goes on to the next end once the run
 * has started all it wants to. So a run's makespan is known to the millisecond on a machine of any load.
 * @param taskMs what each task takes: then tasks run in the order in which they are sent, after what is left of the duration, and each is reported when it has ended
 */
export function virtualDispatcher(
  durationMs: (request: DispatchRequest) => number,
  taskMs?: (taskId: string) => number,
) {
  const running = new Map<() => void, number>();
  const starts: { subgraph: string; startMs: number }[] = [];
  let now = 0;
  let calls = 0;
  const dispatcher: Dispatcher = {
    name: "virtual",
    async dispatch(request, { report }) {
      calls++;
      const startMs = now;
      starts.push({ subgraph: request.subgraph_id, startMs });
      const until = (ms: number) => new Promise<void>((resolve) => running.set(resolve, ms));
      const pending = request.plan.planned_tasks.filter(({ status }) => status === "pending");
      const results = pending.map(({ task_id }) => ({
        task_id,
        status: "completed" as const,
        output: null,
        attempts: 1,
        started_ms: 0,
        duration_ms: 0,
      }));
      if (taskMs !== undefined) {
        const overheadMs = durationMs(request) - pending.reduce((sum, { task_id }) => sum + taskMs(task_id), 0);
        let workMs = 0;
        for (const result of results) {
          workMs += taskMs(result.task_id);
          await until(startMs + workMs + overheadMs);
          await report({ result });
        }
        return { results: [], usage: { attempts: results.length, input_tokens: 0, output_tokens: 0 } };
      }
      await until(startMs + durationMs(request));
      return {
        results,
        usage: { attempts: results.length, input_tokens: 0, output_tokens: 0 },
      } satisfies DispatchReply;
    },
  };
  /** Runs the clock until `run` settles; the makespan in virtual milliseconds. */
  async function drive(run: Promise<unknown>): Promise<number> {
    let settled = false;
    const watched = run.finally(() => {
      settled = true;
    });
    watched.catch(() => {});
    while (!settled) {
      // Quiet for some turns of the loop: nothing more starts at this moment.
      for (let quiet = 0, seen = calls; quiet < 5 && !settled; quiet++) {
        await setImmediate();
        if (calls !== seen) [seen, quiet] = [calls, 0];
      }
      if (running.size === 0) continue;
      now = Math.min(...running.values());
      for (const [end, atMs] of running) {
        if (atMs > now) continue;
        running.delete(end);
        end();
      }
    }
    await watched;
    return now;
  }
  return { dispatcher, drive, starts };
}
