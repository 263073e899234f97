import type { WorkloadTask } from "../workload.ts";
import { malformed, OPERATIONS_PER_MS, type TextFormat } from "./text-format.ts";

interface Node {
  readonly kind: string;
  readonly children: readonly string[];
  readonly cost: number;
}

/** Nodes that are not tasks: messages, and the two ends that hold the graph together. */
const WITHOUT_WORK: ReadonlySet<string> = new Set(["TRANSFER", "ROOT", "END"]);

/**
 * The format that daggen (Suter and Hunold 2013) writes without `--dot`: `NODE id children COMPUTATION|TRANSFER|ROOT|END cost alpha`. Transfers become the size
 * of the output of the task before them, the largest of them; ROOT and END are left out. Costs of tasks are floating-point operations, read at 10^9 a second.
 */
export const daggen: TextFormat = {
  title: "daggen",
  family: "daggen",
  recognises: (text) => /^\s*NODE_COUNT\s+\d+/m.test(text),
  read(text, name) {
    const nodes = new Map<string, Node>();
    let promised = 0;
    for (const [at, line] of text.split(/\r?\n/).entries()) {
      const [word, id, list, kind, cost] = line
        .replace(/(#|\/\/).*$/, "")
        .trim()
        .split(/\s+/);
      if (word === "" || word === undefined) continue;
      if (word === "NODE_COUNT") {
        promised = Number(id);
        continue;
      }
      // The last node has no children: `NODE 9 - END 0.0 0.0`.
      const amount = Number(cost);
      if (word !== "NODE" || id === undefined || list === undefined || kind === undefined || !(amount >= 0)) {
        throw malformed("daggen", name, `line ${at + 1}`, "NODE, an id, children, a kind and a cost", line);
      }
      if (nodes.has(id)) throw malformed("daggen", name, `line ${at + 1}`, "an id that no other node has", id);
      const children = list === "-" ? [] : list.split(",");
      nodes.set(id, { kind, children, cost: amount });
    }
    if (nodes.size !== promised) {
      throw malformed("daggen", name, "NODE_COUNT", `the number of nodes, ${nodes.size}`, String(promised));
    }
    return { tasks: tasksOf(nodes, name) };
  },
};

function tasksOf(nodes: ReadonlyMap<string, Node>, name: string): WorkloadTask[] {
  const work = [...nodes].filter(([, { kind }]) => !WITHOUT_WORK.has(kind));
  const index = new Map(work.map(([id], at) => [id, at]));
  const dependencies: Set<number>[] = work.map(() => new Set());
  const outputs = new Float64Array(work.length);
  work.forEach(([id, { children }], at) => {
    for (const child of children) {
      const node = nodes.get(child);
      if (node === undefined) throw malformed("daggen", name, `node ${id}`, "children that are nodes", child);
      if (node.kind === "TRANSFER") outputs[at] = Math.max(outputs[at]!, node.cost);
      for (const next of node.kind === "TRANSFER" ? node.children : [child]) {
        const consumer = index.get(next);
        if (consumer !== undefined) dependencies[consumer]!.add(at);
        else if (!nodes.has(next)) throw malformed("daggen", name, `node ${child}`, "children that are nodes", next);
      }
    }
  });
  return work.map(([id, { cost }], at) => ({
    id,
    workMs: cost / OPERATIONS_PER_MS,
    dependencies: [...dependencies[at]!],
    outputBytes: outputs[at]!,
  }));
}
