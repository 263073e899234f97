import type { WorkloadTask } from "../workload.ts";
import { MS_PER_UNIT, malformed, type TextFormat } from "./text-format.ts";

/**
 * The file format of HyperDAG_DB, version 1 (Papp, Anegg, Yzelman 2022): `M N P`, then M hyperedges, N nodes and P pins. The first pin of
 * a hyperedge is its source, and the others depend on it. A node's first weight is its work (1 where there is none), in seconds; a hyperedge's is the size of
 * the source's output, in bytes.
 */
export const hyperDag: TextFormat = {
  title: "HyperDAG",
  family: "hyperdag",
  recognises(text) {
    const lines = dataLines(text);
    const [m, n, p, ...more] = (lines[0]?.text ?? "").split(" ").map(Number);
    if (p === undefined || more.length > 0) return false;
    // A file that was cut off may still say what it is.
    return lines.length === 1 + m! + n! + p || (m! + n! + p >= 0 && /^%.*hyperdag/im.test(text));
  },
  read(text, name) {
    const lines = dataLines(text);
    const [m = 0, n = 0, p = 0] = lines[0]!.text.split(" ").map(Number);
    if (lines.length !== 1 + m + n + p) {
      const expected = `${m} hyperedges, ${n} nodes and ${p} pins, a line each`;
      throw malformed(
        "HyperDAG",
        name,
        `the lines after line ${lines[0]!.number}`,
        expected,
        `${lines.length - 1} lines`,
      );
    }
    const bad = (at: number, expected: string) =>
      malformed("HyperDAG", name, `line ${lines[at]!.number}`, expected, lines[at]!.text);
    const weights = (from: number, count: number, what: string) => {
      const found = new Float64Array(count).fill(1);
      const seen = new Set<number>();
      for (let at = from; at < from + count; at++) {
        const [index, weight] = lines[at]!.text.split(" ").map(Number);
        if (!isIndex(index, count) || seen.has(index)) throw bad(at, `the number of one more ${what} below ${count}`);
        if (weight !== undefined && !(weight >= 0)) throw bad(at, `a weight of at least 0 after the ${what}`);
        seen.add(index);
        if (weight !== undefined) found[index] = weight;
      }
      return found;
    };
    const sizes = weights(1, m, "hyperedge");
    const work = weights(1 + m, n, "node");
    const source = new Int32Array(m).fill(-1);
    const dependencies: number[][] = Array.from({ length: n }, () => []);
    const outputs = new Float64Array(n);
    for (let at = 1 + m + n; at < 1 + m + n + p; at++) {
      const [edge, node] = lines[at]!.text.split(" ").map(Number);
      if (!isIndex(edge, m) || !isIndex(node, n)) throw bad(at, `a hyperedge below ${m} and a node below ${n}`);
      const from = source[edge]!;
      if (from === -1) {
        source[edge] = node;
        outputs[node] = Math.max(outputs[node]!, sizes[edge]!);
      } else dependencies[node]!.push(from);
    }
    const tasks = dependencies.map(
      (own, v): WorkloadTask => ({
        id: String(v),
        workMs: work[v]! * MS_PER_UNIT,
        dependencies: [...new Set(own)],
        outputBytes: outputs[v]!,
      }),
    );
    return { tasks };
  },
};

const isIndex = (value: number | undefined, count: number): value is number =>
  value !== undefined && Number.isInteger(value) && value >= 0 && value < count;

/** Lines that are not comments, with their numbers in the file. */
function dataLines(text: string): { number: number; text: string }[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    const data = line.replace(/%.*$/, "").trim().replace(/\s+/g, " ");
    return data === "" ? [] : [{ number: at + 1, text: data }];
  });
}
