import type { OptionCheck } from "@planloom/plan";
import {
  adaptiveChecks,
  approvalChecks,
  budgetChecks,
  cacheChecks,
  guardChecks,
  isJournal,
  limitChecks,
  predictionChecks,
  replanPolicyChecks,
  retryChecks,
  retryOnChecks,
  tenantChecks,
} from "./nested-checks.ts";
import type { OptionRow } from "./option-row.ts";

/**
 * Every option of `run`, once. Checks, defaults, what the journal keeps, what workers are sent, what a `Planloom` takes for all of its runs and
 * the table in docs/run-options.md derive from it. A new option is a line in `RunOptions`, a row here, and the place that uses it; one without the
 * other does not compile (`run-settings.ts`).
 */
// biome-ignore format: a row an option
export const runOptionTable = {
  executors: { check: { required: "list" }, instance: "no", doc: "who executes steps" },
  bind: { check: "function", instance: "no", defaultText: "the pinned resource with the task's arguments", doc: "Stage 2" },
  journal: { check: isJournal, instance: "no", defaultText: "nowhere", doc: "where the run is kept" },
  concurrency: { check: "count", default: 4, stored: "concurrency", storedAlways: true, instance: "all runs", stricter: "lower", flag: { name: "--concurrency <n>", help: "tasks at once" }, doc: "tasks at once" },
  limits: { check: { options: limitChecks }, storedAs: "limits, rates", instance: "all runs", stricter: "own", doc: "tasks at once and calls in a time, by kind and resource" },
  taskTimeoutMs: { check: "positive", default: 60_000, stored: "task_timeout_ms", storedAlways: true, worker: "task_timeout_ms", instance: "each run", stricter: "lower", task: "timeout_ms", early: true, defaultText: "60000; of llm tasks what their model allows", doc: "limit per attempt" },
  maxTaskTimeoutMs: { check: "positive", defaultText: "3600000, or `taskTimeoutMs` where that is more", stored: "max_task_timeout_ms", worker: "max_task_timeout_ms", instance: "each run", stricter: "lower", early: true, doc: "the most that a task's `timeout_ms` can ask for" },
  totalTimeoutMs: { check: "positive", default: Number.POSITIVE_INFINITY, stored: "total_timeout_ms", worker: "total_timeout_ms", instance: "each run", stricter: "lower", early: true, doc: "limit for all attempts of a task and the waits between them" },
  idleTimeoutMs: { check: "positive", default: Number.POSITIVE_INFINITY, stored: "idle_timeout_ms", worker: "idle_timeout_ms", instance: "each run", stricter: "lower", early: true, doc: "how long an attempt may go without progress" },
  bindTimeoutMs: { check: "positive", default: 180_000, worker: "bind_timeout_ms", instance: "each session", doc: "limit for Stage 2 of one task" },
  bindEstimate: { check: "object", worker: "bind_estimate", instance: "no", defaultText: "unknown", doc: "what one model call of Stage 2 may use at most" },
  retry: { check: { options: retryChecks }, stored: "retry", storedAlways: true, worker: "retry", instance: "each run", task: "retry", early: true, defaultText: "3 attempts where repeating is harmless, else 1", doc: "how often a task is tried" },
  maxAttempts: { check: "count", defaultText: "10, or what `retry` and `retryOn` allow", stored: "max_attempts", worker: "max_attempts", instance: "each run", stricter: "lower", early: true, doc: "attempts of any task at most" },
  retryOn: { check: { options: retryOnChecks }, stored: "retry_on", worker: "retry_on", instance: "each run", task: "retry", early: true, defaultText: "client errors are not tried again", doc: "retries by class of error" },
  shared: { check: { method: "checkRoom", expected: "`new SharedLimits({ … })`" }, instance: "no", early: true, defaultText: "none", doc: "what several runs may do together" },
  tenant: { check: { either: ["name", { options: { ...tenantChecks, key: "own" } }] }, storedAs: "tenant", instance: "no", early: true, defaultText: "none", doc: "the tenant that the run counts for in `shared`" },
  priority: { check: "number", default: 0, stored: "priority", instance: "each run", flag: { name: "--priority <number>", help: "where runs share limits: calls of runs with a higher one go first" }, doc: "among runs that share limits, the higher goes first" },
  weight: { check: "positive", default: 1, stored: "weight", instance: "each run", flag: { name: "--weight <number>", help: "where runs share limits: its share beside runs of the same priority" }, doc: "its share of slots beside other runs that share limits" },
  deadline: { check: "time", storedAs: "deadline", instance: "no", flag: { name: "--deadline <time>", help: "where runs share limits: when it should have ended (2026-12-01T09:00:00Z); the earliest of the same priority goes first" }, defaultText: "none", doc: "among runs of the same priority that share limits, the earliest goes first" },
  budgets: { check: { options: budgetChecks }, storedAs: "budgets, subgraphs", instance: "all runs", stricter: "own", defaultText: "unlimited", flag: { name: "--budget <amounts>", help: "what the run may spend in all: calls, tokens, cost, seconds; for example calls=50,tokens=200000" }, doc: "what may be spent" },
  guards: { check: { either: [["default", "smooth", "strict"], { options: guardChecks }] }, storedAs: "guards", instance: "each run", stricter: "own", defaultText: "none", doc: "caps on calls" },
  maxRepeats: { check: "count", default: 100, stored: "max_repeats", instance: "each run", stricter: "lower", doc: "how often one resource may be called with one input beyond the plan's own tasks" },
  onFailure: { check: ["continue", "halt"], default: "continue", stored: "on_failure", storedAlways: true, worker: "on_failure", instance: "each run", task: "on_failure", doc: "what happens after a task failed" },
  onUnknown: { check: ["ask", "retry", "fail"], default: "ask", stored: "on_unknown", worker: "on_unknown", instance: "each run", stricter: "own", flag: { name: "--on-unknown <what>", help: "calls that were begun and may have been carried out: ask about them, retry or fail" }, doc: "what becomes of a call of which it is unknown whether it was carried out" },
  replanPolicy: { check: { options: replanPolicyChecks }, storedAs: "replan", instance: "each run", flag: { name: "--replan <when>", help: "change the plan while it runs: failure, output, resource, marked, every=N, deadline=SECONDS" }, defaultText: "never", doc: "when the plan is changed while it runs" },
  replan: { check: "function", instance: "no", doc: "proposes new tasks in the place of others" },
  cache: { check: { options: cacheChecks }, instance: "each session", defaultText: "none", doc: "resources whose outputs are reused instead of calling" },
  secrets: { check: "object", instance: "each session", flag: { name: "--secret <name>", help: "a secret that the plan may name, from the environment variable of that name, or NAME=VARIABLE", repeats: true }, defaultText: "none", doc: 'values for `{"$secret": NAME}`; never kept' },
  approval: { check: { options: approvalChecks }, storedAs: "approval_resources, approval_allow, approval_expires_after_ms", instance: "each run", stricter: "own", task: "approval", flag: { name: "--allow <tool>", help: "a tool whose calls ask nobody, whatever it does", repeats: true }, doc: "which tasks wait for a person, and what was answered" },
  confirm: { check: { either: [["writes", "destructive", "never"], "function"] }, storedAs: "confirm", instance: "each run", stricter: "own", flag: { name: "--yes", help: "make calls that change something without a question; those declared destructive still ask" }, defaultText: '"never"; of a `Planloom`, see there', doc: "which calls a person confirms" },
  variables: { check: "object", storedAs: "variables", instance: "no", flag: { name: "--var <name=value>", help: "value of a plan variable, JSON or text", repeats: true }, doc: "override the plan's variables" },
  input: { check: "object", storedAs: "input", instance: "no", defaultText: "{}", doc: "what references call `input`" },
  runId: { check: "text", storedAs: "run_id", instance: "no", defaultText: "a random id", doc: "the run's id" },
  signal: { check: "signal", instance: "no", early: true, doc: "aborting it cancels the run" },
  drain: { check: "signal", instance: "no", doc: "aborting it lets running calls end and starts nothing more" },
  journalTimeoutMs: { check: "positive", default: 30_000, instance: "each session", doc: "limit for one call of the journal" },
  waitHereMs: { check: "nonNegative", default: 5_000, instance: "each session", doc: "how long a run may stay in its process only because tasks wait for a time" },
  abortGraceMs: { check: "nonNegative", default: 5_000, worker: "abort_grace_ms", instance: "each session", early: true, doc: "how long an executor may take to obey its signal" },
  maxOutputBytes: { check: "positive", default: 64 * 1024 * 1024, worker: "max_output_bytes", instance: "each session", early: true, doc: "largest output of a task as JSON" },
  outputs: { check: ["auto", "all", "sinks", "none"], default: "auto", instance: "each session", doc: "which large outputs the result holds" },
  outputMemoryBytes: { check: "nonNegative", default: 32 * 1024 * 1024, instance: "each session", doc: "memory that large outputs may take" },
  onEvent: { check: "function", instance: "no", doc: "called with every event of the run" },
  errorStacks: { check: "boolean", default: true, worker: "error_stacks", instance: "each session", early: true, doc: "whether errors of tasks have stacks" },
  onError: { check: "function", instance: "each session", early: true, doc: "called with what an executor threw" },
  pace: { check: "function", instance: "no", doc: "asked before each attempt starts" },
  paceTimeoutMs: { check: "positive", default: 600_000, instance: "each session", doc: "how long `pace` may keep an attempt waiting" },
  subgraphs: { check: "list", storedAs: "subgraphs, dispatch", instance: "no", doc: "the optimizer's grouping" },
  semantics: { check: ["streaming", "atomic", "pipelined"], default: "streaming", storedAs: "dispatch", instance: "no", doc: "whether tasks or subgraphs are started, and what a subgraph waits for" },
  dispatchOrder: { check: "texts", storedAs: "dispatch", instance: "no", defaultText: "longest remaining path first", doc: "in which order subgraphs go" },
  dispatchOverheadMs: { check: "nonNegative", storedAs: "dispatch", instance: "no", defaultText: "0", doc: "what a dispatch costs before its first task" },
  adaptiveDispatch: { check: { either: ["boolean", { options: adaptiveChecks }] }, storedAs: "dispatch", instance: "no", defaultText: "subgraphs are dispatched as they are given", doc: "subgraphs are split where durations are not as estimated" },
  prediction: { check: { options: predictionChecks }, storedAs: "dispatch", instance: "no", defaultText: "none is kept", doc: "what was predicted of the subgraphs, kept with the run" },
  dispatcher: { check: { method: "dispatch", expected: "a dispatcher ({ name, dispatch })" }, storedAs: "dispatch", instance: "no", defaultText: "this process", doc: "who executes subgraphs" },
  dispatchTimeoutMs: { check: "positive", instance: "each session", defaultText: "what the limits of its tasks add up to", doc: "how long a dispatcher may give no sign of a subgraph" },
  metadata: { check: "object", storedAs: "metadata", instance: "no", doc: "the caller's own data, kept with the run" },
  random: { check: "function", instance: "no", defaultText: "Math.random", doc: "for the jitter of retries" },
} as const satisfies Readonly<Record<string, OptionRow>>;

type Table = typeof runOptionTable;
export type OptionName = keyof Table;

/** Names of the options whose row says so. */
export type NamesWith<Fact> = { [Name in OptionName]: Table[Name] extends Fact ? Name : never }[OptionName];

/** As `NamesWith`, in the order of the table. @param fact what a row has to have, field by field; `unknown` for any value */
export function namesWith<const Fact extends Partial<OptionRow>>(fact: Fact): readonly NamesWith<Fact>[] {
  const wanted = Object.entries(fact);
  const rows = Object.entries(runOptionTable as Readonly<Record<string, OptionRow>>);
  return rows
    .filter(([, row]) => wanted.every(([field, value]) => row[field as keyof OptionRow] === value))
    .map(([name]) => name as NamesWith<Fact>);
}

/** Options with a default of their own: numbers, texts, booleans. */
export type DefaultedName = NamesWith<{ readonly default: unknown }>;
/** Options that one field of the journal keeps. */
export type StoredName = NamesWith<{ readonly stored: string }>;
/** Options that one field of a dispatch takes to workers. */
export type WorkerName = NamesWith<{ readonly worker: string }>;
export const optionNames = Object.keys(runOptionTable) as readonly OptionName[];
/** What is checked of each, before anything starts. */
export const runOptionChecks = Object.fromEntries(optionNames.map((name) => [name, runOptionTable[name].check])) as {
  readonly [Name in OptionName]: OptionCheck;
};
export const storedNames = optionNames.filter((name): name is StoredName => "stored" in runOptionTable[name]);
export const workerNames = optionNames.filter((name): name is WorkerName => "worker" in runOptionTable[name]);

/** Options that the command line sets. */
export type FlagName = NamesWith<{ readonly flag: object }>;
