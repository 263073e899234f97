import { group, planOf } from "./run-plans.ts";

/** Subgraph `two` reads what `first` of subgraph `one` makes; the rest of `one` ends when there is a file of the name `until`. `last` reads both. Each call is noted in `log`. */
export function twoSubgraphs(log: string, until: string) {
  const call = (id: string, more: object = {}) => ({ tool_id: "logged", arguments: { id, log, ...more } });
  const plan = planOf(
    { first: [], rest: ["first"], next: ["first"], last: ["rest", "next"] },
    {
      first: call("first"),
      rest: call("rest", { until }),
      next: call("next", { of: "${first}" }),
      last: call("last", { of: "${rest}" }),
    },
  );
  return { plan, subgraphs: group(plan, { one: ["first", "rest"], two: ["next"], three: ["last"] }) };
}
