import { type PlannerTask, planSecrets } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { Secrets } from "./secrets.ts";

/** The places where tasks name secrets that the run is not given. */
export function missingSecrets(planned_tasks: readonly PlannerTask[], secrets: Secrets = {}) {
  return planSecrets({ planned_tasks }).filter(({ name }) => !Object.hasOwn(secrets, name));
}

/** @throws RuntimeError SECRET_MISSING, so that nothing starts of a run that could not end */
export function requireSecrets(missing: ReturnType<typeof missingSecrets>, secrets: Secrets | undefined): void {
  const [first] = missing;
  if (first === undefined) return;
  const names = [...new Set(missing.map(({ name }) => name))];
  const given = Object.keys(secrets ?? {});
  throw new RuntimeError(
    RuntimeErrorCode.SECRET_MISSING,
    `Expected \`secrets\` to have ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}, which task "${first.task_id}" names at \`${first.argument_path}\`; got ${given.length === 0 ? "none" : `only ${given.slice(0, 5).join(", ")}`}.`,
    { details: { missing } },
  );
}
