import { taskLevels } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { fromLabels } from "../partition.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * Tasks of one class (same resource) at one level become one subgraph, as many at a time as context and size allow; then
 * a subgraph joins the one that alone waits for it and for it alone, if that is of the same class (after LLM-Tool Compiler,
 * arXiv 2405.17438, which fuses calls of similar tools). Fewest dispatches and prompts where classes matter; it looks at
 * no runtimes. O(n log n + m).
 */
export const affinityMerge: RuleStrategy = {
  name: "affinity-merge",
  version: "1",
  description: "tasks that use the same resource and need not wait for one another are batched",
  regards: ["limits"],
  deterministic: true,
  largest: 32_768,
  propose(view, environment) {
    const { n, affinity } = view;
    const {
      contextTokens = Number.POSITIVE_INFINITY,
      baseTokens = 0,
      maxTasks = Number.POSITIVE_INFINITY,
    } = environment;
    const level = taskLevels(view);
    const tie = canonicalOrder(view);
    const order = Int32Array.from({ length: n }, (_, v) => v).sort(
      (left, right) => level[left]! - level[right]! || affinity[left]! - affinity[right]! || tie[left]! - tie[right]!,
    );
    // Inputs are counted once a task here, which can only keep batches smaller than they might be.
    const tokens = new Float64Array(n);
    for (let v = 0; v < n; v++) {
      tokens[v] = view.tokens[v]!;
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) tokens[v]! += view.outTokens[view.in[edge]!]!;
    }
    const label = new Int32Array(n);
    const size: number[] = [];
    const prompt: number[] = [];
    let before = -1;
    for (const v of order) {
      const batch = size.length - 1;
      const fits =
        before !== -1 &&
        level[before] === level[v] &&
        affinity[before] === affinity[v] &&
        size[batch]! < maxTasks &&
        baseTokens + prompt[batch]! + tokens[v]! <= contextTokens;
      if (!fits) {
        size.push(0);
        prompt.push(0);
      }
      const own = size.length - 1;
      label[v] = own;
      size[own]!++;
      prompt[own]! += tokens[v]!;
      before = v;
    }
    // One predecessor and one follower a batch: -1 none yet, -2 several.
    const only = (neighbour: Int32Array, from: number, to: number) => {
      if (neighbour[from] !== to) neighbour[from] = neighbour[from] === -1 ? to : -2;
    };
    const next = new Int32Array(size.length).fill(-1);
    const previous = new Int32Array(size.length).fill(-1);
    for (let v = 0; v < n; v++) {
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        only(next, label[v]!, label[view.out[edge]!]!);
        only(previous, label[view.out[edge]!]!, label[v]!);
      }
    }
    const kind = new Int32Array(size.length);
    for (let v = 0; v < n; v++) kind[label[v]!] = affinity[v]!;
    // Batches are numbered by level, so the one before has its final number already.
    const joined = Int32Array.from({ length: size.length }, (_, batch) => batch);
    for (let batch = 0; batch < size.length; batch++) {
      const into = previous[batch]!;
      if (into < 0 || next[into] !== batch || kind[into] !== kind[batch]) continue;
      const target = joined[into]!;
      if (size[target]! + size[batch]! > maxTasks) continue;
      if (baseTokens + prompt[target]! + prompt[batch]! > contextTokens) continue;
      joined[batch] = target;
      size[target]! += size[batch]!;
      prompt[target]! += prompt[batch]!;
    }
    return fromLabels(label.map((batch) => joined[batch]!));
  },
};
