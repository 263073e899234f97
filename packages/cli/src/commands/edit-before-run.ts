import { rm } from "node:fs/promises";
import type { TaskData } from "planloom";
import { editFile } from "../edit-file.ts";
import { editUntilRight, linesOf, readEdit } from "../edit-reading.ts";
import { CliError, SharedErrorCode } from "../errors.ts";
import { savePlanAtHome } from "../home.ts";
import type { CliIo } from "../io.ts";
import type { PlanningSession } from "../session.ts";
import type { Target } from "../target.ts";

/**
 * `run --edit`: opens the plan in the editor and gives what comes back. Errors go back to the editor where a person is there; otherwise nothing is run, and the
 * edit is kept.
 */
export function editBeforeRun(target: Target, session: PlanningSession, json: boolean, io: CliIo) {
  return async (plan: TaskData): Promise<TaskData> => {
    // The plan of a goal has an id from now on, by which its edit is found again.
    if (target.kind === "goal") await savePlanAtHome(io, plan);
    const file = await editFile(plan, json, io);
    const edited = await editUntilRight(file, () => readEdit(file, plan, session, io), json, io);
    if (edited.plan !== undefined && edited.errors.length === 0) {
      await rm(file, { force: true });
      return edited.plan;
    }
    const again = target.kind === "goal" ? plan.task_id : target.source;
    throw new CliError(
      SharedErrorCode.INVALID_PLAN,
      `The edit has errors; nothing was run.\n${linesOf(edited.errors)}`,
      {
        hint: `The edit is kept in ${file}; planloom run ${again} --edit continues with it.`,
        details: { issues: edited.errors, file },
      },
    );
  };
}
