import { type ExecutionEnvironment, executorClasses, hasTransfers } from "./environment.ts";

/** Something of an environment that may matter for how a plan is best grouped. */
export type EnvironmentAspect =
  /** That there are only so many executors. */
  | "executors"
  /** What a dispatch costs. */
  | "overhead"
  /** That outputs take time to another executor: latency, bandwidth, rates of links. */
  | "transfers"
  /** That executors differ: speeds, overheads, slots, which tasks they serve. */
  | "classes"
  /** That one subgraph runs several tasks at once. */
  | "slots"
  /** What tasks of different classes in one subgraph cost. */
  | "affinity penalty"
  | "dispatch rate"
  /** Context, memory, tasks a dispatch, hard affinity. */
  | "limits"
  | "prices";

/** What a strategy goes by that has its proposals simulated, in whatever environment: all that changes how long they take. */
export const simulatedAspects = [
  "executors",
  "overhead",
  "transfers",
  "classes",
  "slots",
  "affinity penalty",
  "dispatch rate",
] as const satisfies readonly EnvironmentAspect[];

/** What there is to go by in an environment. */
export function environmentAspects(environment: ExecutionEnvironment): EnvironmentAspect[] {
  const { executors, overheadMs, affinity, affinityPenaltyMs = 0, maxTasks = Infinity, dispatchRate } = environment;
  const classes = executorClasses(environment);
  const limited = classes.some((each) => each.contextTokens !== Infinity || each.memoryBytes !== Infinity);
  const isPriced = classes.some(({ prices }) =>
    Object.values(prices).some((price: number | undefined) => (price ?? 0) > 0),
  );
  const holds: Readonly<Record<EnvironmentAspect, boolean>> = {
    executors: executors !== Number.POSITIVE_INFINITY,
    overhead: overheadMs > 0 || classes.some((each) => each.overheadMs > 0),
    transfers: hasTransfers(environment),
    classes: classes.length > 1 || environment.classes?.some(({ serves }) => serves !== undefined) === true,
    slots: classes.some(({ slots }) => slots > 1),
    "affinity penalty": affinity === "soft" && affinityPenaltyMs > 0,
    "dispatch rate": dispatchRate !== undefined,
    limits: limited || affinity === "hard" || maxTasks !== Infinity,
    prices: isPriced,
  };
  return (Object.keys(holds) as EnvironmentAspect[]).filter((aspect) => holds[aspect]);
}

/**
 * What of an environment a strategy does not go by when it proposes: limits are then kept by cutting what it proposed, everything else by nothing but the simulation that it
 * is judged by. `undefined` for a strategy that does not say what it goes by.
 */
export function ignoredAspects(
  { regards }: { readonly regards?: readonly EnvironmentAspect[] },
  environment: ExecutionEnvironment,
): EnvironmentAspect[] | undefined {
  return regards && environmentAspects(environment).filter((aspect) => !regards.includes(aspect));
}
