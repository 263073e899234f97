import { diffPlans, renderDiff, renderDiffMermaid } from "planloom/plan";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { findPlan } from "../target.ts";
import { styleFor } from "../terminal/style.ts";

export interface DiffOptions {
  readonly format: "text" | "mermaid";
  readonly json?: boolean;
}

/** `planloom diff`: what differs between two plans, or two revisions of one. */
export async function diff(first: string, second: string, options: DiffOptions, io: CliIo): Promise<number> {
  const [{ plan: before }, { plan: after }] = await Promise.all([findPlan(first, io), findPlan(second, io)]);
  if (options.json === true) writeJson(io, diffPlans(before, after));
  else if (options.format === "mermaid") io.stdout.write(renderDiffMermaid(before, after));
  else {
    const { unicode } = styleFor(io.stdout, io.env);
    io.stdout.write(renderDiff(diffPlans(before, after), { unicode }));
  }
  return ExitCode.DONE;
}
