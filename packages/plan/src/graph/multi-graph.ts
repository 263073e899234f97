import type { MultiGraph } from "graphology";
import { loadGraphology } from "#lazy/graphology";

export type { MultiGraph };

/** graphology's graph of edges of any kind, several between two nodes too: what files of graphs are read into. Loaded on first use. */
export function multiGraphConstructor(): typeof MultiGraph {
  return loadGraphology().MultiGraph;
}
