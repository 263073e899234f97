// What a worker of `soak.ts` loads; one in two hundred calls ends its process.
import { defineTool, toolExecutor } from "@planloom/runtime";
import { simulatedTools } from "../simulation/scenario.ts";

const work = (id: string, idempotent: boolean) =>
  defineTool({
    id,
    description: "",
    idempotent,
    execute(input: Record<string, unknown>) {
      if (Math.random() < 0.005) process.kill(process.pid, "SIGKILL");
      return { value: 1, value_of: input.id };
    },
  });

export const executors = [
  toolExecutor([work(simulatedTools.repeatable, true), work(simulatedTools.unrepeatable, false)]),
];
