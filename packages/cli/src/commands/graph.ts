import { renderAscii, type TaskData } from "planloom";
import { ManualOptimizer } from "planloom/optimizer";
import { renderDot, renderMermaid, type SubGraph } from "planloom/plan";
import { loadConfig } from "../config-file.ts";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { findWholePlan } from "../target.ts";
import { styleFor } from "../terminal/style.ts";

export interface GraphOptions {
  readonly format: "ascii" | "mermaid" | "dot";
  readonly subgraphs?: boolean;
  readonly config?: string | false;
  readonly json?: boolean;
}

const diagrams = { mermaid: renderMermaid, dot: renderDot };

/** `planloom graph`: the plan as a picture, for the terminal or another program. */
export async function graph(name: string, options: GraphOptions, io: CliIo): Promise<number> {
  const { plan } = await findWholePlan(name, io);
  const style = styleFor(io.stdout, io.env);
  const subgraphs = options.subgraphs === true ? await subgraphsOf(plan, options.config, io) : undefined;
  const grouped = subgraphs === undefined ? {} : { subgraphs };
  const { unicode, width } = style;
  const drawn =
    options.format === "ascii"
      ? renderAscii(plan, { ...grouped, unicode, width, colour: style.colour && options.json !== true })
      : diagrams[options.format](plan, grouped);
  io.stdout.write(
    options.json === true ? `${JSON.stringify({ format: options.format, text: drawn })}\n` : `${drawn}\n`,
  );
  return ExitCode.DONE;
}

/** As the rules of this configuration group them. */
async function subgraphsOf(plan: TaskData, name: string | false | undefined, io: CliIo): Promise<SubGraph[]> {
  const { optimizer = {}, concurrency = 4 } = (await loadConfig(name, io)).config;
  const environment = { executors: concurrency, ...optimizer.environment };
  // A picture asks no model.
  const { by: _, ...rules } = optimizer.by === "model" ? { by: undefined } : optimizer;
  return new ManualOptimizer({ ...rules, environment }).generateSubgraphs(plan);
}
