import { renderAscii, type TaskData } from "planloom";
import { ManualOptimizer, type Optimized, planGraphs } from "planloom/optimizer";
import { graphToGexf, graphToGraphml, renderDot, renderMermaid } from "planloom/plan";
import { loadConfig } from "../config-file.ts";
import { configuredGrouping } from "../configured-grouping.ts";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { findWholePlan } from "../target.ts";
import { styleFor } from "../terminal/style.ts";

export interface GraphOptions {
  /** `gexf` and `graphml` are graphs for other programs, with what is known of each node; the others are drawings. */
  readonly format: "ascii" | "mermaid" | "dot" | "gexf" | "graphml";
  readonly subgraphs?: boolean;
  readonly config?: string | false;
  readonly json?: boolean;
}

const diagrams = { mermaid: renderMermaid, dot: renderDot };
const files = { gexf: graphToGexf, graphml: graphToGraphml };

/** `planloom graph`: the plan as a picture, for the terminal or another program; or as a graph in a file, of its tasks or of its subgraphs. */
export async function graph(name: string, options: GraphOptions, io: CliIo): Promise<number> {
  const { plan } = await findWholePlan(name, io);
  const style = styleFor(io.stdout, io.env);
  const { format } = options;
  const isFile = format === "gexf" || format === "graphml";
  const optimized = options.subgraphs === true || isFile ? await optimizedFor(plan, options.config, io) : undefined;
  const grouped = optimized === undefined ? {} : { subgraphs: optimized.subgraphs };
  const { unicode, width } = style;
  let drawn: string;
  if (isFile && optimized !== undefined) {
    const graphs = planGraphs(plan, optimized);
    drawn = await files[format](options.subgraphs === true ? graphs.subgraphs : graphs.tasks);
  } else if (format === "mermaid" || format === "dot") drawn = diagrams[format](plan, grouped);
  else drawn = renderAscii(plan, { ...grouped, unicode, width, colour: style.colour && options.json !== true });
  io.stdout.write(options.json === true ? `${JSON.stringify({ format: format, text: drawn })}\n` : `${drawn}\n`);
  return ExitCode.DONE;
}

/** As the rules of this configuration group them. */
async function optimizedFor(plan: TaskData, name: string | false | undefined, io: CliIo): Promise<Optimized> {
  const { grouping, environment } = configuredGrouping((await loadConfig(name, io)).config);
  // A picture asks no model.
  const { by: _, ...rules } = grouping.by === "model" ? { by: undefined } : grouping;
  return new ManualOptimizer({ ...rules, environment }).optimize(plan);
}
