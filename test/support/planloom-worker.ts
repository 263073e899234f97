// The module that worker processes of `test/planloom/dispatch.test.ts` load; the test makes its Planloom from the same options.
import { setTimeout as wait } from "node:timers/promises";
import { defineTool, type PlanloomOptions } from "planloom";
import { workerParts } from "planloom/dispatch";

const work = defineTool({
  id: "work",
  description: "Waits as long as its input says",
  readOnly: true,
  async execute({ ms = 0, after = null }: { ms?: number; after?: unknown }, { signal }) {
    await wait(ms, undefined, { signal });
    return { pid: process.pid, after };
  },
});

export const options: PlanloomOptions = { tools: [work] };
export const { executors, bind } = workerParts(options);
