import { PostgresJournal, postgresDispatcher } from "@planloom/postgres";
import { defineTool, type RunOptions, run, toolExecutor } from "@planloom/runtime";

// The program of a run in tests, which is killed: it dispatches a plan and executes nothing itself.

type Given = { url: string; schema: string; plan: Parameters<typeof run>[0]; subgraphs: RunOptions["subgraphs"] };
const { url, schema, plan, subgraphs } = JSON.parse(process.argv[2] ?? "{}") as Given;
const journal = await PostgresJournal.open(url, { schema });
const tools = ["step", "effect", "die"].map((id) => defineTool({ id, description: "", execute: () => null }));
await run(plan, {
  executors: [toolExecutor(tools)],
  journal,
  runId: "r",
  semantics: "atomic",
  subgraphs,
  dispatcher: postgresDispatcher(journal),
});
