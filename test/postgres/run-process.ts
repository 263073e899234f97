import { PostgresJournal, postgresDispatcher } from "@planloom/postgres";
import {
  defineTool,
  type RunOptions,
  resume,
  run,
  SharedLimits,
  type SharedLimitsOptions,
  toolExecutor,
} from "@planloom/runtime";

// The program of a run in tests, which is killed: it dispatches a plan and executes nothing itself.

interface Given {
  readonly url: string;
  readonly schema: string;
  readonly plan: Parameters<typeof run>[0];
  readonly subgraphs: RunOptions["subgraphs"];
  readonly runId?: string;
  /** Whether the run has a limit, so that its workers ask before each call. */
  readonly asks?: boolean;
  readonly leaseMs?: number;
  readonly queue?: string;
  readonly tenant?: string;
  /** Limits that it shares with all processes of the journal. @default none */
  readonly shared?: SharedLimitsOptions;
  /** Whether the run is there already. @default false */
  readonly resumes?: boolean;
}
const {
  url,
  schema,
  plan,
  subgraphs,
  runId = "r",
  asks = false,
  leaseMs,
  queue,
  tenant,
  shared,
  resumes = false,
} = JSON.parse(process.argv[2] ?? "{}") as Given;
const journal = await PostgresJournal.open(url, { schema, ...(leaseMs !== undefined && { leaseMs }) });
const tools = ["step", "effect", "die"].map((id) => defineTool({ id, description: "", execute: () => null }));
// Whoever waits for a worker here waits for what a test does next, on a machine that may be slow.
const dispatcher = postgresDispatcher(journal, {
  workerTimeoutMs: 600_000,
  ...(queue !== undefined && { queue }),
});
const executors = [toolExecutor(tools)];
if (resumes) {
  await resume(runId, { journal, executors, dispatcher });
  process.exit(0);
}
await run(plan, {
  executors,
  journal,
  runId,
  ...(asks && { limits: { resources: { step: 100 } } }),
  ...(tenant !== undefined && { tenant }),
  ...(shared !== undefined && { shared: new SharedLimits({ ...shared, journal }) }),
  semantics: "atomic",
  subgraphs,
  dispatcher,
});
