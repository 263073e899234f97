import type { Executor, Resource } from "planloom";
import { checkOptions } from "./check-options.ts";
import { ServerError, ServerErrorCode } from "./errors.ts";

/**
 * An executor that has some of another's resources and no others, for the Planloom of a tenant.
 * @param ids whole ids of resources; an unknown one is left out without an error, since it may come later
 * @throws ServerError OPTION
 */
export function onlyResources(executor: Executor, ids: Iterable<string>): Executor {
  checkOptions(
    "`onlyResources`",
    { executor },
    { executor: { required: { method: "execute", expected: "an executor" } } },
  );
  const isList = typeof ids === "object" && ids !== null && Symbol.iterator in ids;
  // A text is a list of its letters.
  if (!isList)
    throw new ServerError(
      ServerErrorCode.OPTION,
      `Expected \`ids\` of \`onlyResources\` to be a list of ids, got ${JSON.stringify(ids)}.`,
      {
        details: { option: "ids" },
      },
    );
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
    reattaches: (uid) => allowed.has(uid) && executor.reattaches?.(uid) === true,
    async execute(step, context) {
      if (!allowed.has(step.uid)) throw new Error(`"${step.uid}" is not one of this tenant's resources.`);
      return executor.execute(step, context);
    },
  };
}
