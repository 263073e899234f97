import { componentOf } from "../connected-components.ts";
import type { Random } from "../random.ts";
import { cheapestSegments } from "./cheapest-segments.ts";
import { connectivity } from "./refine.ts";
import { demandOrder, depthFirstOrder, frontierOrder, levelOrder, regionOrder } from "./segments.ts";
import type { WeightedDag } from "./weighted-dag.ts";

const orders = [levelOrder, demandOrder, frontierOrder, depthFirstOrder, regionOrder];

/** So many orders are tried. */
const rounds = 20;

/**
 * Partitions that are cheapest segments of topological orders in which connected components follow one another, in many sequences: where components are larger than a part (plans of several
 * tenants in one), what matters is where each is cut, and small ones between them fill up what is left. O(rounds (n log n + m + n parts)).
 * @returns the `count` best by connectivity, best first; fewer where no order had segments light enough
 */
export function segmented(dag: WeightedDag, most: Float64Array, count: number, random: Random): Int32Array[] {
  const component = componentOf(dag);
  const isOne = component.every((root) => root === 0);
  const found: { readonly part: Int32Array; readonly cost: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    // What one consumer gathers is kept together best by the order from the end; a plan of one component may like another better.
    const orderOf = isOne ? orders[round % orders.length]! : round % 4 === 3 ? regionOrder : demandOrder;
    const order = orderOf(dag, random);
    const part = cheapestSegments(dag, isOne ? order : oneByOne(order, component, random), most);
    if (part !== undefined) found.push({ part, cost: connectivity(dag, part, most.length) });
  }
  return found
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, count)
    .map(({ part }) => part);
}

/** The same order within each component, and components one after the other in a random sequence. */
function oneByOne(order: Int32Array, component: Int32Array, random: Random): Int32Array {
  const turn = new Map<number, number>();
  const place = new Int32Array(order.length);
  for (const [at, v] of order.entries()) {
    place[v] = at;
    if (!turn.has(component[v]!)) turn.set(component[v]!, random());
  }
  const turnOf = Float64Array.from(component, (root) => turn.get(root)!);
  return order.toSorted((a, b) => turnOf[a]! - turnOf[b]! || place[a]! - place[b]!);
}
