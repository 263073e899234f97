// A process that runs one task in a worker process: `orphan-parent.ts TOOL FILE PRELOADED?`. The worker writes its process id to the file.
import { childProcessDispatcher, run } from "@planloom/runtime";
import { executors } from "./dispatch-worker.ts";
import { group, planOf } from "./run-plans.ts";

const [, , tool = "", file = "", preloaded = ""] = process.argv;
const plan = planOf({ a: [] }, { a: { tool_id: tool, arguments: { file } } });
await run(plan, {
  executors: await executors(),
  semantics: "atomic",
  subgraphs: group(plan, { one: ["a"] }),
  dispatcher: childProcessDispatcher({
    module: new URL("./dispatch-worker.ts", import.meta.url),
    env: preloaded === "" ? {} : { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${preloaded}` },
  }),
});
