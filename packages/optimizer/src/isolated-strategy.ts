import { PlanView } from "@planloom/plan";
import { strategies } from "./strategies/index.ts";
import type { RuleStrategy } from "./strategy.ts";

/**
 * A strategy of somebody else's, which gets plan and environment as copies: whatever it writes into them, others are measured on what they were. Built-in ones are
 * returned as they are. O(n + m) a proposal
 */
export function isolated(strategy: RuleStrategy): RuleStrategy {
  if (strategies.get(strategy.name) === strategy) return strategy;
  const { name, version, description, regards, deterministic, seeded, largest, members } = strategy;
  return {
    name,
    version,
    description,
    deterministic,
    ...(regards !== undefined && { regards }),
    ...(seeded !== undefined && { seeded }),
    ...(largest !== undefined && { largest }),
    ...(members !== undefined && { members: members.map(isolated) }),
    ...(strategy.refine !== undefined && {
      refine: (view, environment, sorted, options) =>
        strategy.refine!(
          copied(view),
          structuredClone(environment),
          sorted.map(({ partition, metrics }) => structuredClone({ partition, metrics })),
          { ...options },
        ),
    }),
    propose: (view, environment, options) =>
      strategy.propose(copied(view), structuredClone(environment), { ...options }),
  };
}

function copied(view: PlanView): PlanView {
  const { outPtr, out, inPtr, in: incoming, topo, levelPtr, inOrder } = view;
  const { work, tokens, outBytes, outTokens, failProb, affinity } = view;
  const graph = {
    outPtr: outPtr.slice(),
    out: out.slice(),
    inPtr: inPtr.slice(),
    in: incoming.slice(),
    topo: topo.slice(),
    levelPtr: levelPtr.slice(),
    inOrder,
  };
  return new PlanView(view.n, view, graph, {
    work: work.slice(),
    tokens: tokens.slice(),
    outBytes: outBytes.slice(),
    outTokens: outTokens.slice(),
    failProb: failProb.slice(),
    affinity: affinity.slice(),
  });
}
