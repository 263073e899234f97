import { basename } from "node:path";
import { answeredIssues } from "planloom/serving";
import { findConfig } from "../config-file.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { openPlanning, type SessionOptions } from "../session.ts";
import { findPlan } from "../target.ts";
import { count, plainLine, styleFor } from "../terminal/style.ts";
import { issueList } from "../views/plan-view.ts";

/** `planloom validate`: structure and references always; tools, arguments and dataflow where tools are given. */
export async function validate(name: string, options: SessionOptions & { json?: boolean }, io: CliIo): Promise<number> {
  const { plan, source, reading } = await findPlan(name, io);
  const { mcp, config, model, controller } = options;
  const given = [mcp, model, controller, await findConfig(config, io)];
  const withTools = given.some((option) => option !== undefined);
  const found = await (async () => {
    if (!withTools) return (await import("planloom/planning")).validatePlan(plan);
    await using session = await openPlanning(options, io);
    return session.planloom.validate(plan);
  })();
  // Errors of reading are kept in the plan, so validation has found them as well.
  const issues = [...reading.issues.filter(({ severity }) => severity === "warning"), ...found];
  const valid = !issues.some((issue) => issue.severity === "error");
  if (options.json === true) {
    writeJson(io, { valid, dialect: reading.dialect, ...answeredIssues(issues), checked_against_tools: withTools });
  } else {
    const style = styleFor(io.stdout, io.env);
    const verdict = valid ? style.paint("green", "valid") : style.paint("red", "not valid");
    // Our own form is one of agent-grid's; that goes without saying.
    const form = reading.dialect === "agent-grid" ? "" : `, read as ${reading.dialect}`;
    const scope = withTools ? "" : style.paint("dim", "  (tools not checked: give --mcp or --config)");
    io.stdout.write(
      `${plainLine(basename(source))}: ${verdict}, ${count(plan.planned_tasks.length, "task")}, ${count(issues.length, "issue")}${form}${scope}\n`,
    );
    io.stdout.write(issueList(issues, style));
  }
  return valid ? ExitCode.DONE : ExitCode.USAGE;
}
