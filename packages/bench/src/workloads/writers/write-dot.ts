import type { Workload } from "../workload.ts";

/**
 * The workload in Graphviz' DOT language with its costs: `duration_ms`, `output_bytes`, `tokens` and `type`, the number of the class of tasks. What
 * reads DOT here reads it back as the same plan. `renderDot` of `@planloom/plan` draws a plan for people.
 */
export function workloadDot({ name, view }: Workload): string {
  const lines = [`digraph ${quoted(name)} {`];
  for (let v = 0; v < view.n; v++) {
    const attributes = [
      `duration_ms=${view.work[v]}`,
      `output_bytes=${view.outBytes[v]}`,
      `tokens=${view.tokens[v]}`,
      `type=${quoted(`class ${view.affinity[v]}`)}`,
    ];
    lines.push(`  ${quoted(view.ids[v]!)} [${attributes.join(", ")}];`);
  }
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
      lines.push(`  ${quoted(view.ids[view.in[edge]!]!)} -> ${quoted(view.ids[v]!)};`);
    }
  }
  return `${lines.join("\n")}\n}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
