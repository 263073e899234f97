import { isRecord, type Resource } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import type { Provenance } from "./draft/provenance.ts";
import { type PlanGoalOptions, planGoalChecks, readPlan } from "./plan-goal.ts";

/** What words say to one resource. */
export interface WordsForResource {
  /** Plain values that are likely right; guesses and references to other tasks are not among them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** By argument: where its value comes from. Offsets are those of the words. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  /** A sentence that says what the call does. */
  readonly description: string;
}

/** A value with less likelihood than this is asked for in place of being guessed. */
const guessedBelow = 0.5;

/**
 * Reads words as a call of a resource that is settled, whatever else they might call: what its arguments would be. Deterministic, never
 * throws for any words.
 * @throws EmbeddedError OPTION for an unknown option, and for one of another type.
 */
export function argumentsFor(words: string, resource: Resource, options: PlanGoalOptions = {}): WordsForResource {
  checkOptions("`argumentsFor`", options, planGoalChecks);
  const { plan } = readPlan(words, [resource], options).planned;
  const [task] = plan.planned_tasks;
  const all = plan.metadata?.provenance;
  const origins = ((isRecord(all) && all[task?.task_id ?? ""]) || {}) as Readonly<Record<string, Provenance>>;
  const isGuess = (name: string) => (origins[name]?.likelihood ?? 1) < guessedBelow;
  const own = Object.entries(task?.arguments ?? {}).filter(([name, value]) => !isReference(value) && !isGuess(name));
  const known = new Set(own.map(([name]) => name));
  const provenance = Object.entries(origins).filter(([path]) => known.has(path.split(/[.[]/, 1)[0] ?? ""));
  return {
    arguments: Object.fromEntries(own),
    provenance: Object.fromEntries(provenance),
    description: task?.description ?? "",
  };
}

/** `${task…}`; a literal dollar sign is doubled. */
const isReference = (value: unknown) => /(?<!\$)\$\{/.test(JSON.stringify(value) ?? "");
