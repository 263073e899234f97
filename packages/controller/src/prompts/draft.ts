import type { Resource } from "@planloom/plan";
import type { PlanDraft } from "../behavior-controller.ts";
import { dataBlock } from "./data-block.ts";
import { issueLine } from "./feedback.ts";
import { leftOutNote } from "./left-out-note.ts";
import { signatureOf } from "./signature.ts";

/**
 * A draft with what is open in it and what it may use: the resources of the tasks that are in question with their schemas, all
 * others in one line each.
 */
export function draftPrompt({ tasks, open }: PlanDraft, resources: readonly Resource[], leftOut = 0): string {
  const lines = tasks.map(({ task_id, description, execution_type, tool_id, function_id, agent_id, ...task }) => {
    const uid = task.parameters?.uid === undefined ? {} : { parameters: { uid: task.parameters.uid } };
    const pins = { tool_id: tool_id ?? function_id ?? undefined, agent_id: agent_id ?? undefined, ...uid };
    const { arguments: values, dependencies } = task;
    return JSON.stringify({ task_id, description, execution_type, ...pins, arguments: values, dependencies });
  });
  const questioned = new Set(open.map(({ task_id }) => task_id));
  const used = new Set(tasks.filter(({ task_id }) => questioned.has(task_id)).map((task) => pinnedId(task)));
  const records = resources.map((resource) =>
    used.has(resource.id)
      ? `${signatureOf(resource)}\n  input: ${JSON.stringify(resource.input_schema)}`
      : signatureOf(resource),
  );
  return [
    `## Draft\n${dataBlock("draft", lines.join("\n"))}`,
    `## Open\n${open.map(issueLine).join("\n") || "- Nothing in particular; the draft may be wrong."}`,
    `## Resources\n${dataBlock("resources", records.join("\n"))}`,
    ...(leftOut === 0 ? [] : [leftOutNote(leftOut)]),
  ].join("\n\n");
}

function pinnedId(task: PlanDraft["tasks"][number]): string | undefined {
  const { tool_id, function_id, agent_id, parameters } = task;
  const uid = parameters?.uid;
  return tool_id ?? function_id ?? agent_id ?? (typeof uid === "string" ? uid : undefined);
}
