import type { PlanView } from "@planloom/plan";
import { heldBytes, promptTokens } from "./dispatch-amounts.ts";
import { classOfExecutor, type ExecutionEnvironment, isLimited } from "./environment.ts";

/** A part that the environment does not take. */
export type PartViolation =
  /** The prompt of one dispatch would be longer than any executor that may run it allows. */
  | {
      readonly code: "context-exceeded";
      readonly message: string;
      readonly part: number;
      readonly tokens: number;
      readonly limit: number;
    }
  /** One dispatch would hold more bytes than any executor that may run it has. */
  | {
      readonly code: "memory-exceeded";
      readonly message: string;
      readonly part: number;
      readonly bytes: number;
      readonly limit: number;
    }
  /** Tasks of several classes in one part, with hard affinity; `classes` are numbers of `PlanView.affinity`. */
  | {
      readonly code: "affinity-mixed";
      readonly message: string;
      readonly part: number;
      readonly classes: readonly number[];
    }
  /** More tasks than one dispatch may hold. */
  | {
      readonly code: "part-too-large";
      readonly message: string;
      readonly part: number;
      readonly tasks: number;
      readonly limit: number;
    }
  /** No executor class serves all its tasks. */
  | {
      readonly code: "no-executor";
      readonly message: string;
      readonly part: number;
      readonly classes: readonly number[];
    };

/**
 * Checks every part against the limits of the environment. O(n + m), with a factor of the number of executor classes.
 * @param part a number in `[0, count)` for every task.
 * @param placement the executor of every part, where that is settled; then its class alone may run the part.
 */
export function checkParts(
  view: PlanView,
  environment: ExecutionEnvironment,
  part: ArrayLike<number>,
  count: number,
  placement?: readonly number[],
): PartViolation[] {
  if (!isLimited(environment)) return [];
  const { affinity: rule, maxTasks = Number.POSITIVE_INFINITY } = environment;
  const executors = environment.classes ?? [{ ...environment, serves: undefined }];
  const kindOf = classOfExecutor(environment);
  const sizes = new Float64Array(count);
  const classes: Set<number>[] = Array.from({ length: count }, () => new Set());
  for (let v = 0; v < view.n; v++) {
    sizes[part[v]!]!++;
    classes[part[v]!]!.add(view.affinity[v]!);
  }
  const tokens = promptTokens(view, { part, count });
  const bytes = heldBytes(view, { part, count });
  const violations: PartViolation[] = [];
  for (let p = 0; p < count; p++) {
    const own = [...classes[p]!];
    if (sizes[p]! > maxTasks) {
      const message = `Part ${p} holds ${sizes[p]} tasks, more than the ${maxTasks} that one dispatch may hold.`;
      violations.push({ code: "part-too-large", message, part: p, tasks: sizes[p]!, limit: maxTasks });
    }
    if (rule === "hard" && own.length > 1) {
      const message = `Part ${p} mixes the task classes ${own.join(", ")}, which hard affinity keeps apart.`;
      violations.push({ code: "affinity-mixed", message, part: p, classes: own });
    }
    const offered = placement === undefined ? executors : [executors[kindOf(placement[p]!)]!];
    const serving = offered.filter(({ serves }) => serves === undefined || own.every((each) => serves.includes(each)));
    if (serving.length === 0) {
      const message = `Part ${p} holds tasks of the classes ${own.join(", ")}, and no executor class ${placement === undefined ? "" : "that it is placed on "}serves them all.`;
      violations.push({ code: "no-executor", message, part: p, classes: own });
      continue;
    }
    const withContext = serving.filter(({ baseTokens = 0, contextTokens = Number.POSITIVE_INFINITY }) => {
      return baseTokens + tokens[p]! <= contextTokens;
    });
    if (withContext.length === 0) {
      const widest = serving.reduce((best, each) => (each.contextTokens! > best.contextTokens! ? each : best));
      const [limit, needed] = [widest.contextTokens!, (widest.baseTokens ?? 0) + tokens[p]!];
      const message = `Part ${p} needs a prompt of ${needed} tokens, more than the ${limit} that one dispatch may hold.`;
      violations.push({ code: "context-exceeded", message, part: p, tokens: needed, limit });
      continue;
    }
    const limit = Math.max(...withContext.map(({ memoryBytes = Number.POSITIVE_INFINITY }) => memoryBytes));
    if (bytes[p]! <= limit) continue;
    const message = `Part ${p} holds ${bytes[p]} bytes of outputs, more than the ${limit} that one dispatch may hold.`;
    violations.push({ code: "memory-exceeded", message, part: p, bytes: bytes[p]!, limit });
  }
  return violations;
}
