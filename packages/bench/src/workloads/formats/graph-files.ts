import { type MultiGraph, multiGraphConstructor } from "@planloom/plan/internals";
import { dependenciesOn, type WorkloadTask } from "../workload.ts";
import { malformed, type TextFormat, type TextWorkload, typeOf, usualMs, workOf } from "./text-format.ts";

/** What a task takes, by name of attribute, and milliseconds in one of its units; the first that a node has counts. `work` is what `planloom graph` writes. */
const DURATIONS: readonly (readonly [name: string, ms: number])[] = [
  ["work", 1],
  ["duration_ms", 1],
  ["runtime", 1000],
];

/** GEXF of Gephi, NetworkX and `planloom graph --format gexf`, by graphology's reader: directed graphs, attributes as in `DURATIONS`. */
export const gexf: TextFormat = {
  title: "GEXF",
  family: "gexf",
  recognises: (text) => beginsWith(text, "gexf"),
  async read(text, name) {
    const { parse } = await import("graphology-gexf");
    return readGraph("gexf", text, name, (graph) => parse(graph, text, { allowUndeclaredAttributes: true } as object));
  },
};

/** GraphML of yEd, NetworkX and `planloom graph --format graphml`, by graphology's reader: directed graphs, attributes as in `DURATIONS`. */
export const graphml: TextFormat = {
  title: "GraphML",
  family: "graphml",
  recognises: (text) => beginsWith(text, "graphml"),
  async read(text, name) {
    const { parse } = await import("graphology-graphml");
    return readGraph("graphml", text, name, (graph) => parse(graph, text));
  },
};

const titles = { gexf: "GEXF", graphml: "GraphML" };

/** Whether the first element has this name; a declaration and comments may go before it. */
function beginsWith(text: string, element: string): boolean {
  const first = /<[a-z][^\s>/]*/i.exec(text.slice(0, 20_000).replace(/<!--[\s\S]*?-->/g, ""));
  return text.trimStart().startsWith("<") && first?.[0].toLowerCase() === `<${element}`;
}

async function readGraph(
  root: keyof typeof titles,
  text: string,
  name: string,
  parse: (Graph: never) => unknown,
): Promise<TextWorkload> {
  const title = titles[root];
  // The reader takes a file that was cut off as a smaller graph.
  if (!new RegExp(`</${root}\\s*>\\s*(<!--[\\s\\S]*-->\\s*)?$`, "i").test(text)) {
    throw malformed(title, name, "its end", `</${root}>`, text.trim().slice(-40));
  }
  // Several edges between the same two nodes are one dependency.
  const Multi = multiGraphConstructor();
  let graph: MultiGraph;
  try {
    graph = parse(Multi as never) as MultiGraph;
  } catch (error) {
    throw malformed(title, name, "its graph", "directed edges between nodes", String(error));
  }
  if (graph.undirectedSize > 0) {
    throw malformed(title, name, "its graph", "directed edges only", `${graph.undirectedSize} undirected`);
  }
  const ids = graph.nodes();
  const index = new Map(ids.map((id, at) => [id, at]));
  const number = (id: string, attribute: string) => {
    const value: unknown = graph.getNodeAttribute(id, attribute);
    if (value === undefined || value === "") return undefined;
    if (Number(value) >= 0) return Number(value);
    throw malformed(title, name, `node ${id}`, `a number in ${attribute}`, String(value));
  };
  const known = new Map<string, number>();
  for (const id of ids) {
    const [duration, unit = 1] =
      DURATIONS.map(([each, ms]) => [number(id, each), ms]).find(([each]) => each !== undefined) ?? [];
    if (duration !== undefined) known.set(id, duration * unit);
  }
  const usual = usualMs(known.values());
  const tasks = ids.map((id): WorkloadTask => {
    const outputBytes = number(id, "output_bytes");
    const promptTokens = number(id, "tokens");
    const { type, label }: { type?: unknown; label?: unknown } = graph.getNodeAttributes(id);
    return {
      id,
      ...workOf(known.get(id), usual),
      ...dependenciesOn([...new Set(graph.mapInEdges(id, (_, __, source) => source))], index),
      type: typeof type === "string" && type !== "" ? type : typeOf(id),
      ...(typeof label === "string" && label !== "" && { description: label }),
      ...(outputBytes !== undefined && { outputBytes }),
      ...(promptTokens !== undefined && { promptTokens }),
    };
  });
  return { tasks };
}
