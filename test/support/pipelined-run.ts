// Runs two subgraphs in worker processes, of which the first does not end as long as there is no file of the name `until`. Tests kill it.
import { childProcessDispatcher, run, SqliteJournal } from "@planloom/runtime";
import { executors } from "./dispatch-worker.ts";
import { twoSubgraphs } from "./two-subgraphs.ts";

const [file = "", log = "", until = ""] = process.argv.slice(2);
const { plan, subgraphs } = twoSubgraphs(log, until);
await run(plan, {
  executors: await executors(),
  runId: "r",
  journal: await SqliteJournal.open(file),
  dispatcher: childProcessDispatcher({ module: new URL("./dispatch-worker.ts", import.meta.url) }),
  semantics: "pipelined",
  subgraphs,
});
