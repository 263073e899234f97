import type { DirectedGraph } from "graphology";
import { isRecord } from "../json.ts";

/** A graph of any attributes: `planGraph`, `subGraphGraph`, `scheduledGraphs`, or one of your own. */
type AnyGraph = Pick<DirectedGraph, "forEachNode" | "forEachEdge">;

/**
 * The graph as GEXF 1.3, by graphology's own writer, for Gephi and others. Attributes that are numbers, texts and booleans are kept, `label` as the node's label; a task and a list of
 * tasks as the ids in them.
 */
export async function graphToGexf(graph: DirectedGraph): Promise<string> {
  const { write } = await import("graphology-gexf");
  return write(graph as never, {
    version: "1.3",
    formatNode: (id: string, attributes: Readonly<Record<string, unknown>>) => {
      const { label, ...rest } = plainAttributes(attributes);
      return { label: String(label ?? id), attributes: rest };
    },
    formatEdge: (_: string, attributes: Readonly<Record<string, unknown>>) => ({
      attributes: plainAttributes(attributes),
    }),
  });
}

/** The graph as GraphML, with the same attributes as `graphToGexf`. graphology's own library only reads it. */
export function graphToGraphml(graph: AnyGraph): string {
  const keys = new Map<string, string>();
  const data = (of: "node" | "edge", attributes: Readonly<Record<string, unknown>>) =>
    Object.entries(plainAttributes(attributes)).map(([name, value]) => {
      const id = `${of}-${name}`;
      const type = { number: "double", boolean: "boolean", string: "string" }[typeof value as "number"];
      // A column in which numbers and texts are mixed is one of texts.
      keys.set(id, keys.get(id) === undefined || keys.get(id) === type ? type : "string");
      return `<data key="${escaped(id)}">${escaped(String(value))}</data>`;
    });
  const nodes: string[] = [];
  graph.forEachNode((id, attributes) => {
    nodes.push(`    <node id="${escaped(id)}">${data("node", attributes).join("")}</node>`);
  });
  const edges: string[] = [];
  graph.forEachEdge((_, attributes, source, target) => {
    const ends = `source="${escaped(source)}" target="${escaped(target)}"`;
    edges.push(`    <edge ${ends}>${data("edge", attributes).join("")}</edge>`);
  });
  const declared = [...keys].map(([id, type]) => {
    const at = id.indexOf("-");
    return `  <key id="${escaped(id)}" for="${id.slice(0, at)}" attr.name="${escaped(id.slice(at + 1))}" attr.type="${type}"/>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...declared,
    '  <graph edgedefault="directed">',
    ...nodes,
    ...edges,
    "  </graph>",
    "</graphml>",
    "",
  ].join("\n");
}

/** Numbers, texts and booleans; a task as its id, a list of tasks as theirs. What else there is, no such file can hold. */
function plainAttributes(attributes: Readonly<Record<string, unknown>>): Record<string, number | string | boolean> {
  const plain: Record<string, number | string | boolean> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const own = Array.isArray(value)
      ? value
          .map(idOf)
          .filter((id) => id !== undefined)
          .join(" ")
      : (idOf(value) ?? value);
    if (typeof own === "boolean" || typeof own === "string" || (typeof own === "number" && Number.isFinite(own)))
      plain[name] = typeof own === "string" ? printable(own) : own;
  }
  return plain;
}

function idOf(value: unknown): string | undefined {
  return isRecord(value) && typeof value.task_id === "string" ? value.task_id : undefined;
}

/** Without the control characters that no XML may hold. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

function escaped(text: string): string {
  return printable(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
