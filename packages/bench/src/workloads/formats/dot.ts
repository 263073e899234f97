import { dependenciesOn, type WorkloadTask } from "../workload.ts";
import { type Attributes, readDot } from "./dot-syntax.ts";
import { MS_PER_UNIT, malformed, OPERATIONS_PER_MS, type TextFormat, typeOf, usualMs, workOf } from "./text-format.ts";

/** What a task takes, by the names that programs give it, and milliseconds in one of its units; the first that is there counts. */
const DURATIONS: readonly (readonly [name: string, ms: number])[] = [
  ["duration_ms", 1],
  ["runtime", 1000],
  // OneStopParallel.
  ["work_weight", MS_PER_UNIT],
  // daggen and SimGrid count operations.
  ["size", 1 / OPERATIONS_PER_MS],
  ["cost", MS_PER_UNIT],
  ["weight", MS_PER_UNIT],
];

/** The size of an output: of the node, or the largest of its edges. */
const SIZES = { node: ["output_bytes", "comm_weight"], edge: ["bytes", "size", "comm_weight", "data"] };

/**
 * DOT of Graphviz: our own, those of daggen and SimGrid, and any other directed graph. A task's duration is `duration_ms`, `runtime` in seconds, `size` in
 * operations (10^9 a second), or `work_weight`, `cost` or `weight`, a unit of which counts as a second; without any it takes the mean of the
 * others, or a second.
 */
export const dot: TextFormat = {
  title: "DOT",
  family: "dot",
  recognises: (text) =>
    /^(\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|#[^\n]*\n)*(strict\s+)?(digraph\b|graph\b[^{\n]*\{)/i.test(text),
  read(text, name) {
    const graph = readDot(text, name);
    const ids = [...graph.nodes.keys()];
    const index = new Map(ids.map((id, at) => [id, at]));
    const parents = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
    const sent = new Map<string, number>();
    for (const { from, to, attributes } of graph.edges) {
      parents.get(to)!.add(from);
      const size = amount(attributes, SIZES.edge, `edge ${from} -> ${to}`, name);
      if (size !== undefined) sent.set(from, Math.max(sent.get(from) ?? 0, size));
    }
    const known = new Map(
      [...graph.nodes].flatMap(([id, attributes]): [string, number][] => {
        const ms = durationMs(attributes, id, name);
        return ms === undefined ? [] : [[id, ms]];
      }),
    );
    const usual = usualMs(known.values());
    const tasks = [...graph.nodes].map(([id, attributes]): WorkloadTask => {
      const outputBytes = amount(attributes, SIZES.node, `node ${id}`, name) ?? sent.get(id);
      const promptTokens = amount(attributes, ["tokens"], `node ${id}`, name);
      return {
        id,
        ...workOf(known.get(id), usual),
        ...dependenciesOn([...parents.get(id)!], index),
        type: attributes.type ?? typeOf(id),
        ...(outputBytes !== undefined && { outputBytes }),
        ...(promptTokens !== undefined && { promptTokens }),
      };
    });
    return { tasks, ...(graph.name !== "" && { name: graph.name }) };
  },
};

function durationMs(attributes: Attributes, id: string, file: string): number | undefined {
  for (const [key, ms] of DURATIONS) {
    const value = amount(attributes, [key], `node ${id}`, file);
    if (value !== undefined) return value * ms;
  }
  return undefined;
}

/** The first of these attributes that is there. @throws OptimizerError for one that is not an amount */
function amount(attributes: Attributes, names: readonly string[], where: string, file: string): number | undefined {
  const name = names.find((each) => attributes[each] !== undefined);
  if (name === undefined) return undefined;
  const value = Number(attributes[name]);
  if (attributes[name] !== "" && Number.isFinite(value) && value >= 0) return value;
  throw malformed("DOT", file, where, `a number of at least 0 as ${name}`, attributes[name]!);
}
