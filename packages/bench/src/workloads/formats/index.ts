import { daggen } from "./daggen.ts";
import { dax } from "./dax.ts";
import { dot } from "./dot.ts";
import { gexf, graphml } from "./graph-files.ts";
import { hyperDag } from "./hyper-dag.ts";
import { stg } from "./stg.ts";
import type { TextFormat } from "./text-format.ts";

/** Formats of task graphs that are not JSON, in the order in which they are tried. HyperDAG before STG: both are lines of numbers, and HyperDAG says how many. */
const textFormats: readonly TextFormat[] = [dot, dax, gexf, graphml, daggen, hyperDag, stg];

/** The format of a text, by what is in it and not by the name of its file. */
export function textFormatOf(text: string): TextFormat | undefined {
  return textFormats.find((format) => format.recognises(text));
}

/** The formats by name, for messages. */
export const formatTitles = ["plan-workload/1", "WfFormat 1.5 or 1.6", ...textFormats.map(({ title }) => title)];
