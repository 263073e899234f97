// A module that holds its worker where the environment says: while it loads, or before its first call.
import { defineTool, toolExecutor } from "@planloom/runtime";

if (process.env.HANG === "load") for (;;);

const idle = toolExecutor([defineTool({ id: "work", description: "", execute: () => 1 })]);
const estimate = () => {
  for (;;);
};

export const executors = [process.env.HANG === "estimate" ? { ...idle, estimate } : idle];
