import type { Resource } from "@planloom/plan";

/** Returns the name that each resource has in prompts, in their order: the bare name where it is unique, else the id. */
export function shortNames(resources: readonly Resource[]): string[] {
  const counts = new Map<string, number>();
  for (const { name, id } of resources) {
    counts.set(name ?? id, (counts.get(name ?? id) ?? 0) + 1);
  }
  return resources.map(({ name, id }) => (name !== undefined && counts.get(name) === 1 ? name : id));
}
