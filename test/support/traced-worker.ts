// The module that the worker process of `test/otel/propagation.test.ts` loads: its tool says in which trace it is called.
import { defineTool, type PlanloomOptions } from "planloom";
import { workerParts } from "planloom/dispatch";
import { traceHeaders } from "planloom/plan";

const where = defineTool({
  id: "where",
  description: "The trace it is called in",
  readOnly: true,
  execute: () => ({ pid: process.pid, ...traceHeaders() }),
});

export const options: PlanloomOptions = { tools: [where] };
export const { executors, bind } = workerParts(options);
