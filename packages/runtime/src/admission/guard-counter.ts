import { callNow, isCallbackError, type Resource } from "@planloom/plan";
import { classifyByName, type GuardedCall, type GuardPolicy } from "../ports/guard-policy.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";

/** Decides whether a guard policy lets a call be made, and counts the calls that are made, failed ones too. */
export class GuardCounter {
  readonly #policy: GuardPolicy;
  readonly #grounded: (input: GuardedCall["input"]) => number | undefined;
  readonly #byResource = new Map<string, number>();
  /** The results of the policy's own `classify`, which is called once for each resource. */
  readonly #sorts = new Map<string, Sort>();
  #discovery = 0;
  #execution = 0;

  /** @param grounded finds a number in an input that is not known from elsewhere. */
  constructor(policy: GuardPolicy, grounded: (input: GuardedCall["input"]) => number | undefined) {
    this.#policy = policy;
    this.#grounded = grounded;
  }

  /**
   * Why the call must not be made: the first that says no of cap per tool, precondition, budget, ungrounded numbers, tool.
   */
  check(call: GuardedCall): TaskError | undefined {
    const { perToolCap = 0, precondition, groundedNumbers = false, tools = {} } = this.#policy;
    const { resource } = call;
    const key = keyOf(resource);
    const made = this.#byResource.get(key) ?? 0;
    if (perToolCap > 0 && made >= perToolCap) {
      return blocked("per_tool_cap", `${resource.kind} "${resource.id}" was called ${made} times, its cap`);
    }
    const objection = precondition && blockedByFault("precondition", () => objectionOf(precondition, call));
    if (typeof objection === "object") return objection;
    if (objection !== undefined) return blockedInWords("precondition", objection);
    const spent = blockedByFault("classify", () => this.#overBudget(resource));
    if (typeof spent === "object") return spent;
    if (spent !== undefined) return blocked("budget", spent);
    const number = groundedNumbers ? this.#grounded(call.input) : undefined;
    if (number !== undefined) {
      return blocked(
        "ungrounded_numbers",
        `the input contains the number ${number}, which appears in nothing that the run was given`,
      );
    }
    const limit = Object.hasOwn(tools, key) ? tools[key]! : Number.POSITIVE_INFINITY;
    if (made < limit) return undefined;
    return blocked("per_tool", `${resource.kind} "${resource.id}" was called ${made} times, ${limit} are allowed`);
  }

  /** @param calls several, where they were made in an earlier session. @default 1 */
  count(resource: Resource, calls = 1): void {
    const key = keyOf(resource);
    this.#byResource.set(key, (this.#byResource.get(key) ?? 0) + calls);
    if (this.#classifyOrExecution(resource) === "discovery") this.#discovery += calls;
    else this.#execution += calls;
  }

  /** @throws PlanError CALLBACK */
  #classify(resource: Resource): Sort {
    const { classify } = this.#policy;
    if (classify === undefined) return classifyByName(resource);
    const key = keyOf(resource);
    const known = this.#sorts.get(key);
    if (known !== undefined) return known;
    const sort = callNow("guards.classify", () => classify(resource), '"discovery" or "execution"', isSort);
    this.#sorts.set(key, sort);
    return sort;
  }

  /** A resource that cannot be classified counts as the more dangerous sort. */
  #classifyOrExecution(resource: Resource): Sort {
    try {
      return this.#classify(resource);
    } catch (error) {
      if (isCallbackError(error)) return "execution";
      throw error;
    }
  }

  #overBudget(resource: Resource): string | undefined {
    const { discovery, execution, total } = this.#policy;
    const sort = this.#classify(resource);
    const [made, limit] = sort === "discovery" ? [this.#discovery, discovery] : [this.#execution, execution];
    if (limit !== undefined && made >= limit) return `the ${sort} budget of ${limit} calls is used up`;
    const all = this.#discovery + this.#execution;
    return total !== undefined && all >= total ? `the total budget of ${total} calls is used up` : undefined;
  }
}

function objectionOf(precondition: NonNullable<GuardPolicy["precondition"]>, call: GuardedCall): string | undefined {
  return callNow("guards.precondition", () => precondition(call), "a text or undefined", isObjection);
}

/** A guard that cannot answer lets nothing through. */
function blockedByFault<Value>(guard: string, ask: () => Value): Value | TaskError {
  try {
    return ask();
  } catch (error) {
    if (!isCallbackError(error)) throw error;
    return blocked(guard, error.message.replace(/\.$/, ""));
  }
}

function isObjection(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

type Sort = "discovery" | "execution";

function isSort(value: unknown): value is Sort {
  return value === "discovery" || value === "execution";
}

export function blocked(guard: string, why: string): TaskError {
  return blockedInWords(guard, `${why}.`);
}

/** Appends a text of another author, unchanged. */
function blockedInWords(guard: string, words: string): TaskError {
  return taskError(TaskErrorCode.BLOCKED, `Guard blocked: ${words}`, { guard });
}

const keyOf = ({ kind, id }: Resource) => `${kind}:${id}`;
