// The module that worker processes of `worker-gates.test.ts` load: a payment, and a Stage 2 that writes another amount each time.
import { defineTool, toolExecutor } from "@planloom/runtime";
import { z } from "zod";

const input = z.object({ amount: z.number() });
const pay = defineTool({ id: "pay", description: "Pays", input, execute: ({ amount }) => ({ paid: amount }) });
export const executors = [toolExecutor([pay])];

let asked = 0;
export const bind = async ({ task }: { task: { tool_id: string | null } }) => ({
  uid: task.tool_id ?? "",
  input_data: { amount: ++asked },
});
