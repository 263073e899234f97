import { branchNames, type Choose, isDecidedByConditions, type JsonSchema, type PlannerTask } from "@planloom/plan";

/** True for a task whose resource decides which branch the plan takes. */
export function isRouter<Task extends Pick<PlannerTask, "choose">>(task: Task): task is Task & { choose: Choose } {
  return task.choose !== undefined && !isDecidedByConditions(task);
}

/** What a model is asked to answer with. */
export function choiceSchema(choose: Choose): JsonSchema {
  const chosen = { type: "string", enum: branchNames(choose), description: "The branch that fits." };
  return { type: "object", properties: { chosen }, required: ["chosen"], additionalProperties: false };
}

/** The branches, as a model that decides reads them. Asked the same again, a model may answer the same: further attempts say more. */
export function choiceText(choose: Choose, attempt: number): string {
  const { branches, else: otherwise } = choose;
  const lines = branches.map(
    ({ name, description }) => `- ${name}${description === undefined ? "" : `: ${description}`}`,
  );
  if (otherwise !== undefined) lines.push(`- ${otherwise}: where none of the others fits`);
  const again =
    attempt === 1
      ? ""
      : `\nAn earlier answer named none of them. It is one of ${branchNames(choose).join(", ")}, without other text.`;
  return `Decide for one of these branches:\n${lines.join("\n")}\nAnswer with JSON alone: {"chosen": "<name of the branch>"}${again}`;
}
