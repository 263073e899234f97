import {
  callNow,
  delegates,
  type ExecutionKind,
  FaultLog,
  isCallbackError,
  type PlannerTask,
  type Resource,
} from "@planloom/plan";
import { isOfElements } from "./executors/of-elements.ts";
import type { RegistryEntry } from "./executors/registry.ts";
import { invalid } from "./invalid-option.ts";

/** The levels of confirmation, the strictest first. */
export const confirmLevels = ["writes", "destructive", "never"] as const;

/**
 * Which calls a person confirms before they are made. `writes`: all but those of resources that are declared read-only;
 * `destructive`: those of resources that are declared destructive; `never`: none.
 */
export type ConfirmLevel = (typeof confirmLevels)[number];

/** A call that is about to be made, as it is passed to a confirmation function of the user's. */
export interface ConfirmCall {
  readonly task: PlannerTask;
  readonly kind: ExecutionKind;
  /** Id of the resource. */
  readonly uid: string;
  /** The input that the executor would get; in a dry run that does not know it, the arguments of the task with their references. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly resource: Resource;
}

/**
 * A level, or a function that returns `false` for calls that no person is asked about. If it returns anything else or throws, a person is
 * asked; where that is neither `true` nor `false`, a warning and the question (`confirm_error`) name the fault.
 * It may be called several times about one call.
 */
export type Confirm = ConfirmLevel | ((call: ConfirmCall) => boolean);

/** @throws RuntimeError INVALID_OPTION */
export function readConfirm(confirm: unknown): Confirm {
  if (confirm === undefined) return "never";
  if (typeof confirm === "function") return confirm as Confirm;
  if (confirmLevels.includes(confirm as ConfirmLevel)) return confirm as ConfirmLevel;
  throw invalid("confirm", '"writes", "destructive", "never" or a function', confirm);
}

/** The one that asks about more; a function decides alone. */
export function stricterConfirm(a: Confirm | undefined, b: Confirm | undefined): Confirm | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (typeof a === "function" || typeof b === "function") return typeof b === "function" ? b : a;
  return confirmLevels.indexOf(a) < confirmLevels.indexOf(b) ? a : b;
}

/** The faults of confirmation functions: nested plans and later runs have the same one. */
const faultsOf = new WeakMap<(call: ConfirmCall) => boolean, FaultLog>();

/** Decides which calls of a run wait for a person by its policy (`confirm`), in addition to those that have gates. */
export class ConfirmPolicy {
  readonly #confirm: Confirm;
  readonly #allowed: ReadonlySet<string>;
  #fault: string | undefined;

  /** @param allowed `kind:uid` of the resources that are named as needing no confirmation. */
  constructor(confirm: Confirm, allowed: ReadonlySet<string>) {
    this.#confirm = confirm;
    this.#allowed = allowed;
  }

  /** Why a person is asked about the call that `asksAbout` was last called with, if `confirm` gave no answer about it. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /**
   * True where a person is asked first. What only makes other calls of the run (a workflow, an agent that is a model) is not asked
   * about itself, since each of those calls is.
   */
  asksAbout(task: PlannerTask, { executor, resource }: RegistryEntry, input: ConfirmCall["input"]): boolean {
    const confirm = this.#confirm;
    this.#fault = undefined;
    if (confirm === "never") return false;
    const { kind, id: uid } = resource;
    if (this.#allowed.has(`${kind}:${uid}`)) return false;
    if (isOfElements(executor)) return false;
    if (typeof confirm === "function") return this.#ask(confirm, { task, kind, uid, input, resource });
    if (resource.destructive === true) return true;
    if (confirm === "destructive" || resource.read_only === true) return false;
    return !delegates(executor, uid);
  }

  #ask(confirm: (call: ConfirmCall) => boolean, call: ConfirmCall): boolean {
    try {
      return callNow("confirm", () => confirm(call), "true or false", isBoolean);
    } catch (error) {
      if (!isCallbackError(error)) throw error;
      const faults = faultsOf.get(confirm) ?? new FaultLog();
      faultsOf.set(confirm, faults);
      faults.report("confirm", error, "so a person is asked about the call");
      this.#fault = error.message;
      return true;
    }
  }

  /** True where no call of these resources needs a confirmation. */
  letsAllThrough(resources: readonly Resource[]): boolean {
    if (this.#confirm === "never") return true;
    return this.#confirm === "destructive" && resources.every(({ destructive }) => destructive !== true);
  }
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}
