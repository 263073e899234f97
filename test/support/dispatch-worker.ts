// The module that worker processes of `dispatch.test.ts` load.
import { defineTool, toolExecutor } from "@planloom/runtime";
import { sleep } from "./run-plans.ts";

const work = defineTool({
  id: "work",
  description: "Waits, then adds up what it is given",
  async execute(input: Record<string, unknown>, { signal }) {
    await sleep(Number(input.ms ?? 0), signal);
    if (input.fail) throw new Error("as asked");
    const sum = Object.values(input.of ?? {}).reduce((a: number, b) => a + Number((b as { sum: number }).sum), 1);
    return { sum, pid: process.pid };
  },
});
const die = defineTool({ id: "die", description: "", execute: () => process.exit(7) });
const hang = defineTool({
  id: "hang",
  description: "",
  execute: () => new Promise(() => setInterval(() => {}, 1_000)),
});

export const executors = async () => [toolExecutor([work, die, hang])];
