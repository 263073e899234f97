import type { Workload } from "../workload.ts";

/** The workload as `plan-workload/1`, the format that keeps all that the laboratory knows of a plan. */
export function planWorkload({ name, family, view }: Workload): object {
  return {
    format: "plan-workload/1",
    name,
    family,
    tasks: view.ids.map((id, v) => ({
      id,
      type: `class ${view.affinity[v]}`,
      runtime: view.work[v]! / 1000,
      deps: Array.from(view.in.subarray(view.inPtr[v], view.inPtr[v + 1]), (u) => view.ids[u]!),
      outputBytes: view.outBytes[v]!,
      promptTokens: view.tokens[v]!,
    })),
  };
}
