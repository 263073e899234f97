import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TaskData } from "planloom";
import { editableParts } from "./edited-plan.ts";
import { planloomHome } from "./home.ts";
import type { CliIo } from "./io.ts";

/** The file that an editor is opened with: the plan as YAML, or an edit of it that was not saved. */
export async function editFile(plan: TaskData, json: boolean, io: CliIo): Promise<string> {
  const [{ formatPlan }, { makeFolder }] = await Promise.all([import("planloom/plan"), import("planloom/planning")]);
  const folder = join(planloomHome(io), "edits");
  const file = join(folder, `${encodeURIComponent(plan.task_id)}.yaml`);
  await makeFolder(folder);
  const isLeft = await readFile(file, "utf8").then(
    () => true,
    () => false,
  );
  if (isLeft && !json) io.stdout.write("An edit of this plan was not saved; it is opened again.\n");
  if (!isLeft) {
    const text = formatPlan(editableParts(plan) as unknown as TaskData, { format: "yaml" });
    await writeFile(file, header(plan.task_id) + text, { mode: 0o600 });
  }
  return file;
}

const header = (id: string) =>
  `# The plan ${id}. Change its tasks, save and close; what is wrong is shown, and nothing is saved until it is right.
# tool_id is the tool that a task calls, arguments are what it is called with; \${task.field} takes the output of another task.
`;
