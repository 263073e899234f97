import { delegates, type Executor, kindRecord, type Resource, reattaches } from "@planloom/plan";

/** True where calling the executor again does no harm, so that it need not be known whether the call was carried out. */
export function isRepeatable({
  executor,
  resource,
}: {
  readonly executor: Executor;
  readonly resource: Resource;
}): boolean {
  if (kindRecord(resource.kind).repeatable || resource.read_only === true || resource.idempotent === true) return true;
  return delegates(executor, resource.id) || reattaches(executor, resource.id);
}
