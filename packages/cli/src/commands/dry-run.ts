import type { TaskData } from "planloom";
import { ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import type { Session } from "../session.ts";
import { duration, plainLine, styleFor } from "../terminal/style.ts";
import { section } from "../views/heading.ts";

/** What a run would do: order, resources and resolved arguments. Nothing is executed. */
export async function dryRun(
  plan: TaskData,
  session: Session,
  options: { json: boolean; variables: Record<string, unknown> },
  io: CliIo,
): Promise<number> {
  const trace = await session.planloom.dryRun(plan, { variables: options.variables, signal: io.signal });
  if (options.json) {
    io.stdout.write(`${JSON.stringify(trace, null, 2)}\n`);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(section("Dry run", "nothing is executed; <…> stands for an output not known yet", style));
  for (const step of trace.steps) {
    const after =
      step.dependencies.length === 0
        ? ""
        : style.paint("dim", `  after ${step.dependencies.map(plainLine).join(", ")}`);
    const at = style.paint("dim", `+${duration(step.start_ms)}`.padStart(9));
    io.stdout.write(
      `  ${at}  ${style.paint("bold", plainLine(step.task_id))} ${style.paint("dim", plainLine(step.uid ?? "?"))}${after}\n`,
    );
    for (const [key, value] of Object.entries(step.input)) {
      io.stdout.write(`             ${plainLine(key)}: ${plainLine(JSON.stringify(value))}\n`);
    }
  }
  const cost = trace.estimate.cost === undefined ? "" : `, cost ${trace.estimate.cost}`;
  const tokens = trace.estimate.tokens === undefined ? "" : `, ${trace.estimate.tokens} tokens`;
  io.stdout.write(`\n  predicted ${duration(trace.predicted_ms)}, ${trace.steps.length} calls${tokens}${cost}\n`);
  return ExitCode.DONE;
}
