/** Whether tasks start individually (`streaming`) or subgraphs are dispatched, and what a subgraph waits for then: see `RunOptions.semantics`. */
export type RunSemantics = "streaming" | SubgraphSemantics;

/** `atomic`: a subgraph waits for the end of all that it depends on. `pipelined`: it waits for the outputs that its own tasks read. */
export type SubgraphSemantics = "atomic" | "pipelined";

export function dispatchesSubgraphs(semantics: RunSemantics | undefined): semantics is SubgraphSemantics {
  return semantics === "atomic" || semantics === "pipelined";
}
