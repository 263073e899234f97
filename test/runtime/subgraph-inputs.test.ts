import { planViewFromEdges } from "@planloom/plan";
import { expect, test } from "vitest";
import { Limits } from "../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../packages/runtime/src/core/run-state.ts";
import { TaskState } from "../../packages/runtime/src/core/task-state.ts";
import type { Quotient } from "../../packages/runtime/src/dispatch/quotient.ts";
import { SubgraphInputs } from "../../packages/runtime/src/dispatch/subgraph-inputs.ts";

/** Tasks by number, with the subgraph of each. */
function inputsOf(
  edges: readonly (readonly [number, number])[],
  part: readonly number[],
  declared: Quotient["declared"] = [],
) {
  const view = planViewFromEdges({ n: part.length, from: edges.map(([from]) => from), to: edges.map(([, to]) => to) });
  const count = Math.max(...part) + 1;
  const members = Array.from({ length: count }, (_, own) => [...part.keys()].filter((task) => part[task] === own));
  const parts = planViewFromEdges({ n: count, from: [], to: [] });
  const limits = new Limits({ concurrency: 1 });
  const tasks = createRunState(view, { limits });
  const subgraphs = createRunState(parts, { limits });
  const there: number[] = [];
  const quotient = { view: parts, members, part: Int32Array.from(part), declared };
  const inputs: SubgraphInputs = new SubgraphInputs({
    tasks,
    subgraphs,
    quotient: () => quotient,
    onThere(subgraph) {
      there.push(subgraph);
      subgraphs.state[subgraph] = TaskState.READY;
      inputs.regrouped();
    },
  });
  const end = (task: number, state: TaskState = TaskState.COMPLETED) => {
    tasks.state[task] = state;
    inputs.taskEnded(task);
  };
  return { inputs, subgraphs, there, end };
}

test("a subgraph goes once all that its open tasks read has ended, also where another one that went was regrouped meanwhile", () => {
  // 0 is read by 1 and 2, and 2 reads 3 as well.
  const { inputs, there, end } = inputsOf(
    [
      [0, 1],
      [0, 2],
      [3, 2],
    ],
    [0, 1, 2, 3],
  );
  inputs.lookAtAll();
  expect(there).toEqual([0, 3]);
  end(0);
  expect(there).toEqual([0, 3, 1]);
  end(3);
  expect(there).toEqual([0, 3, 1, 2]);
});

test("what a skipped task would have read is not waited for", () => {
  // 2 and 3 are in one subgraph: 2 reads 0 and 1, and 3 reads 1.
  const { inputs, there, end } = inputsOf(
    [
      [0, 2],
      [1, 2],
      [1, 3],
    ],
    [0, 1, 2, 2],
  );
  inputs.lookAtAll();
  end(1);
  expect(there).toEqual([0, 1]);
  end(2, TaskState.SKIPPED);
  expect(there).toEqual([0, 1, 2]);
});

test("what a subgraph depends on by its own word is waited for to the end", () => {
  const { inputs, subgraphs, there, end } = inputsOf([[0, 2]], [0, 1, 2], [[1, 2]]);
  inputs.lookAtAll();
  end(0);
  expect(there).toEqual([0, 1]);
  subgraphs.state[1] = TaskState.COMPLETED;
  inputs.subgraphEnded(1);
  expect(there).toEqual([0, 1, 2]);
});
