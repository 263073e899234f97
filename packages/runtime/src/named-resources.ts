import { type NearestNames, nearestNames, whyUnavailable } from "@planloom/plan";
import { asDefinitionError } from "./edge/as-definition-error.ts";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import type { Registry } from "./executors/registry.ts";
import type { RunOptions } from "./run-settings.ts";
import { sourceOf } from "./secrets/secrets.ts";

type Naming = Pick<
  RunOptions,
  "executors" | "approval" | "limits" | "shared" | "tenant" | "budgets" | "guards" | "cache" | "secrets"
>;

/**
 * Checks the resource ids in gates, limits, rates, budgets, caps and the cache. An id may have any spelling that tasks may use. One that
 * means no resource, or several, is refused, since it would limit nothing. A resource that cannot execute now (`Executor.unavailable`)
 * counts as known.
 * @throws RuntimeError INVALID_OPTION with `details`: `option`, `resource_id`, `candidates`
 */
export function checkNamedResources(
  { executors, approval, limits, shared, tenant, budgets, guards, cache, secrets = {} }: Naming,
  known: Registry,
): void {
  const caps = typeof guards === "object" ? guards.tools : undefined;
  const named: readonly (readonly [option: string, ids: readonly string[]])[] = [
    ["approval.resources", approval?.resources ?? []],
    ["approval.allow", approval?.allow ?? []],
    ["limits.resources", Object.keys(limits?.resources ?? {})],
    ["limits.rates", Object.keys(limits?.rates ?? {})],
    ["budgets.resources", Object.keys(budgets?.resources ?? {})],
    ...(shared?.named(tenant) ?? []),
    ["guards.tools", Object.keys(caps ?? {})],
    ["cache.resources", cache?.resources ?? []],
    ...Object.entries(secrets).map(
      ([name, secret]) => [`secrets.${name}.resources`, sourceOf(secret).resources ?? []] as const,
    ),
  ];
  for (const [option, ids] of named) {
    for (const id of ids) {
      const isThere = known.catalogue.kindsOf(id).length > 0;
      const isUnavailable = () => executors.some((executor) => whyUnavailable(executor, id) !== undefined);
      if (isThere || asDefinitionError(isUnavailable)) continue;
      throw unknownName(option, id, known);
    }
  }
}

function unknownName(option: string, id: string, known: Registry): RuntimeError {
  const ids = known.resources.map((resource) => resource.id);
  const meant = ids.filter((each) => each.endsWith(`/${id}`));
  const near = nearestNames(id, ids);
  const hint = meant.length > 0 ? `; write the whole id: ${listed(meant)}` : nearHint(near);
  return new RuntimeError(
    RuntimeErrorCode.INVALID_OPTION,
    `Expected \`${option}\` to name known resources, got ${JSON.stringify(id)}${hint}.`,
    { details: { option, resource_id: id, candidates: meant.length > 0 ? meant : near.names } },
  );
}

function nearHint({ likely, names }: NearestNames): string {
  if (likely !== undefined) return `, which is unknown; perhaps ${JSON.stringify(likely)} is meant`;
  return names.length > 0 ? `, which is unknown; known are ${listed(names)}` : ", but none is registered";
}

function listed(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return `${names.slice(0, 5).join(", ")}${more}`;
}
