import type { Executor, Resource } from "planloom";

/**
 * An executor that has some of another's resources and no others, for the Planloom of a tenant.
 * @param ids whole ids of resources; one that there is not is left out without an error, since it may come later
 */
export function onlyResources(executor: Executor, ids: Iterable<string>): Executor {
  const allowed = new Set(ids);
  let before: readonly Resource[] | undefined;
  let kept: readonly Resource[] = [];
  return {
    kind: executor.kind,
    ...(executor.secrets !== undefined && { secrets: executor.secrets }),
    resources() {
      const all = executor.resources();
      // The same list as long as nothing has changed, which is how changes are noticed.
      if (all !== before) kept = all.filter(({ id }) => allowed.has(id));
      before = all;
      return kept;
    },
    estimate: (step) => (allowed.has(step.uid) ? executor.estimate?.(step) : undefined),
    unavailable: (uid) =>
      allowed.has(uid) ? executor.unavailable?.(uid) : "It is not one of this tenant's resources.",
    timeoutMs: (uid) => (allowed.has(uid) ? executor.timeoutMs?.(uid) : undefined),
    delegates: (uid) => allowed.has(uid) && executor.delegates?.(uid) === true,
    async execute(step, context) {
      if (!allowed.has(step.uid)) throw new Error(`"${step.uid}" is not one of this tenant's resources.`);
      return executor.execute(step, context);
    },
  };
}
