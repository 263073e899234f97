import {
  type ConfirmLevel,
  defaultMaxEndedRuns,
  type Journal,
  type RunOptions,
  type SharedLoad,
  SqliteJournal,
} from "@planloom/runtime";
import type { InstanceLimits } from "./instance-limits.ts";
import { instanceLimits, type PlanloomOptions } from "./planloom-options.ts";

/** What a `Planloom` runs with. Plain JSON; of secrets, of keys and of functions it says no more than that there are any. */
export interface PlanloomDescription {
  /** Where runs are kept. */
  readonly journal: {
    /** A file, or `memory`. */
    readonly name: string;
    /** Runs are there after the end of the process. `unknown` for a journal of your own. */
    readonly durable: boolean | "unknown";
    /** Events are kept, so that subscribers who come late get what was before. */
    readonly events: boolean;
    /** Ended runs that stay, where the journal is made here and lives in memory; older ones are forgotten. */
    readonly max_ended_runs?: number;
  };
  /** Who answers planning questions. */
  readonly controller: string;
  /** Who executes llm tasks; absent: nobody, they are skipped. */
  readonly model?: string;
  /** How many resources there are of each kind. */
  readonly resources: Readonly<Record<"tool" | "agent" | "llm" | "dsl", number>>;
  /** Limits, rates and budgets of all runs together, as they were given; absent: none. */
  readonly limits: Omit<InstanceLimits, "tenants"> & { readonly tenants?: readonly string[] };
  /** What goes on and what waits now. */
  readonly load: SharedLoad;
  /** Which calls a person confirms. `function`: a policy of your own decides. */
  readonly confirm: {
    /** Of goals, whose plan nobody has seen; of streams of plans and of loops. */
    readonly goals: ConfirmLevel | "function";
    /** Of plans that are handed in. */
    readonly plans: ConfirmLevel | "function";
    /** Resources whose every use is asked about, and those whose calls never are. */
    readonly always: readonly string[];
    readonly never: readonly string[];
  };
  /** What becomes of calls of which nobody knows whether they were carried out. */
  readonly on_unknown: "ask" | "retry" | "fail";
  readonly optimizer: string;
  /** Names of the secrets; their values are never shown. */
  readonly secrets: readonly string[];
}

/** Of a `Planloom` that was made with these options. */
export function describeOptions(
  options: PlanloomOptions,
): Pick<PlanloomDescription, "journal" | "limits" | "confirm" | "on_unknown" | "optimizer" | "secrets"> {
  const { approval = {}, confirm, secrets = {}, optimizer: { strategy = "portfolio" } = {} } = options;
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
    optimizer: typeof strategy === "string" ? strategy : strategy.name,
    secrets: Object.keys(secrets),
  };
}

/** What is confirmed of a plan that nobody has seen, and of one that was handed in, which its author has. */
export const [confirmUnseen, confirmSeen] = ["writes", "destructive"] as const;

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
