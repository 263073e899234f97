import type { Dag } from "../dags.ts";

const edges: (readonly [number, number])[] = [];
let state = 1;
for (let u = 0; u < 20; u++) for (let v = u + 1; v < 20; v++) if (random() < 0.25) edges.push([u, v]);

/** A plan of 20 tasks: with dispatches of 12 ms a search on executors without limit looks at 122 states. */
export const long: Dag = {
  n: 20,
  from: edges.map(([u]) => u),
  to: edges.map(([, v]) => v),
  work: Array.from({ length: 20 }, () => Math.floor(random() * 9) + 1),
};

function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}
