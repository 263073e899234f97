// A module that holds its worker where the environment says: while it loads, or before its first call.
import { defineTool, toolExecutor } from "@planloom/runtime";

/** Like a loop without end, for whoever else wants the thread; and the machine stays free for other tests. */
const holdThread = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

if (process.env.HANG === "load") holdThread();

const idle = toolExecutor([defineTool({ id: "work", description: "", execute: () => 1 })]);
const estimate = () => void holdThread();

export const executors = [process.env.HANG === "estimate" ? { ...idle, estimate } : idle];
