import type { TaskData } from "planloom";
import { commandName } from "../command-name.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan, planStore, savePlanAtHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { findPlan } from "../target.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { issueList } from "../views/plan-view.ts";
import { refuseInvalid } from "./make-plan.ts";
import { nextSteps } from "./next-steps.ts";

/**
 * `planloom save`: keeps a plan file among the saved plans, under the plan's id.
 * @throws CliError INVALID_PLAN for a plan that could not run with any tools; USAGE where another plan has the id
 */
export async function save(
  name: string,
  { replace = false, json = false }: { readonly replace?: boolean; readonly json?: boolean },
  io: CliIo,
): Promise<number> {
  const { plan, reading } = await findPlan(name, io);
  const { validatePlan } = await import("planloom/planning");
  // A name without a value is one that the run is given.
  refuseInvalid(validatePlan(plan).filter(({ code }) => code !== "unknown_reference"));
  const id = plan.task_id;
  if (!replace) await refuseOther(plan, name, io);
  const file = await savePlanAtHome(io, plan);
  if (json) {
    writeJson(io, {
      plan_id: id,
      file,
      from: reading.dialect,
      tasks: plan.planned_tasks.length,
      issues: reading.issues,
    });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  if (reading.issues.length > 0) io.stdout.write(issueList(reading.issues, style));
  io.stdout.write(`Saved as ${style.paint("bold", plainLine(id))} ${style.paint("dim", `(${plainLine(file)})`)}\n`);
  io.stdout.write(nextSteps([["run", id]], style, io));
  return ExitCode.DONE;
}

/**
 * Refuses a plan whose id another saved plan has.
 * @param name what the plan was found by
 * @throws CliError USAGE
 */
export async function refuseOther(plan: TaskData, name: string, io: CliIo): Promise<void> {
  const id = plan.task_id;
  const saved = await findSavedPlan(io, id);
  if (saved?.id !== id) return;
  const before = await (await planStore(io)).load(id, { signal: io.signal });
  const { diffPlans } = await import("planloom/plan");
  if (diffPlans(before, plan).equal) return;
  throw new CliError(CliErrorCode.USAGE, `Another plan is saved as ${JSON.stringify(id)}.`, {
    hint: `${commandName(io)} diff ${id} ${name} shows what differs; ${commandName(io)} save ${name} --replace puts this one in its place.`,
    details: { option: "--replace", name: id },
  });
}
