import type { ExecutionKind } from "@planloom/plan";
import {
  type ConfirmLevel,
  defaultMaxEndedRuns,
  type Journal,
  type RunOptions,
  type SharedLoad,
  SqliteJournal,
} from "@planloom/runtime";
import type { GroupingOptions } from "./grouping/dispatch-options.ts";
import type { InstanceLimits } from "./instance-limits.ts";
import { instanceLimits, type PlanloomOptions } from "./planloom-options.ts";

/** What a `Planloom` runs with. Plain JSON. It has the names of secrets, but no values of secrets, no keys and no functions. */
export interface PlanloomDescription {
  /** Where runs are kept. */
  readonly journal: {
    /** A file, or `memory`. */
    readonly name: string;
    /** Whether runs outlive the process; `unknown` for a journal of your own. */
    readonly durable: boolean | "unknown";
    /** Whether events are kept, so that late subscribers get earlier ones. */
    readonly events: boolean;
    /** Ended runs that stay, where the journal is made here and lives in memory; older ones are forgotten. */
    readonly max_ended_runs?: number;
  };
  /** Name of the controller, which answers planning questions. */
  readonly controller: string;
  /** Name of the model that executes llm tasks; absent without a model; llm tasks are skipped then. */
  readonly model?: string;
  /** The number of resources of each kind. */
  readonly resources: Readonly<Record<ExecutionKind, number>>;
  /** Limits, rates and budgets of all runs together, as they were given; absent without any. */
  readonly limits: Omit<InstanceLimits, "tenants"> & { readonly tenants?: readonly string[] };
  /** How many runs and calls are in progress and wait now. */
  readonly load: SharedLoad;
  /** Which calls a person confirms. `function`: a policy of your own decides. */
  readonly confirm: {
    /** For goals, plan streams and loops, whose plan no person has seen. */
    readonly goals: ConfirmLevel | "function";
    /** For plans that are handed in. */
    readonly plans: ConfirmLevel | "function";
    /** Resources whose every use is asked about, and those whose calls never are. */
    readonly always: readonly string[];
    readonly never: readonly string[];
  };
  /** What happens to calls whose outcome is unknown. */
  readonly on_unknown: "ask" | "retry" | "fail";
  /** Who groups plans: a strategy, or `model`. */
  readonly optimizer: string;
  /** Where subgraphs go; absent where tasks start one by one in this process. */
  readonly dispatcher?: string;
  /** Names of the secrets; their values are never shown. */
  readonly secrets: readonly string[];
}

/** The part of the description that follows from the options of a `Planloom`. */
export function describeOptions(
  options: PlanloomOptions,
): Pick<PlanloomDescription, "journal" | "limits" | "confirm" | "on_unknown" | "optimizer" | "dispatcher" | "secrets"> {
  const { approval = {}, confirm, secrets = {}, optimizer, dispatch } = options;
  const set = instanceLimits
    .filter((name) => options[name] !== undefined)
    .map((name) => [name, options[name]] as const);
  const limits = Object.fromEntries(set) as InstanceLimits;
  const { tenants, ...others } = limits;
  return {
    journal: describeJournal(options.journal),
    limits: { ...others, ...(tenants !== undefined && { tenants: Object.keys(tenants) }) },
    confirm: {
      goals: levelOf(confirm ?? confirmUnseen),
      plans: levelOf(confirm ?? confirmSeen),
      always: approval.resources ?? [],
      never: approval.allow ?? [],
    },
    on_unknown: options.onUnknown ?? "ask",
    optimizer: optimizerName(dispatch?.optimizer ?? optimizer),
    ...(dispatch !== undefined && { dispatcher: dispatch.to.name }),
    secrets: Object.keys(secrets),
  };
}

/** The default confirmation of plans that no person has seen, and of plans that are handed in. */
export const [confirmUnseen, confirmSeen] = ["writes", "destructive"] as const;

function optimizerName(options: GroupingOptions = {}): string {
  if (options.by === "model") return "model";
  const { strategy = "portfolio" } = options;
  return typeof strategy === "string" ? strategy : strategy.name;
}

function levelOf(confirm: NonNullable<RunOptions["confirm"]>): ConfirmLevel | "function" {
  return typeof confirm === "function" ? "function" : confirm;
}

function describeJournal(journal: Journal | string | undefined): PlanloomDescription["journal"] {
  if (journal === undefined)
    return { name: "memory", durable: false, events: false, max_ended_runs: defaultMaxEndedRuns };
  if (typeof journal === "string") return { name: journal, durable: true, events: false };
  const durable = journal instanceof SqliteJournal || (journal.name === "memory" ? false : "unknown");
  return { name: journal.name, durable, events: journal.storesEvents === true };
}
