import { type ExecutionKind, executionKinds, kindRecord, type Resource, type TaskPin } from "@planloom/plan";

const text = { type: "string" } as const;

/** More ids than this stay out of a schema: servers limit the size of enums, and grammars grow with them. */
const maxIds = 200;

/**
 * What a model is to write of a plan: the fields of `PlannerTask` that are a planner's to decide. Times, status,
 * output and the like are filled in by us, so a model cannot get them wrong. With resources given the schema lists
 * their ids, so that a model that is held to it cannot name one that does not exist.
 */
export function planSchema(resources: readonly Resource[] = []) {
  const kinds = executionKinds.filter((kind) => resources.some((resource) => resource.kind === kind));
  const [only] = kinds;
  const inParameters = pinnedIn("parameters.uid");
  const pinned = kinds.length !== 1 || only === undefined || !hasOwnField(only) ? [] : [kindRecord(only).pin.field];
  return {
    type: "object",
    properties: {
      tasks: {
        type: "array",
        // Small models under a grammar gladly close the list at once.
        minItems: 1,
        items: {
          type: "object",
          properties: {
            task_id: { ...text, description: "Short unique name: letters, digits, underscores." },
            description: { ...text, description: "What is to be done, in one sentence." },
            execution_type: { type: "string", enum: kinds.length === 0 ? executionKinds : kinds },
            tool_id: idOf(resources, pinnedIn("tool_id"), "Id of the tool, for execution_type tool."),
            agent_id: idOf(resources, pinnedIn("agent_id"), "Id of the agent, for execution_type agent."),
            parameters: {
              type: "object",
              properties: {
                uid: idOf(resources, inParameters, `Id of the resource, for ${inParameters.join(" and ")}.`),
              },
            },
            arguments: { type: "object", description: "Values for the resource's input." },
            dependencies: { type: "array", items: text, description: "task_ids that must be done first." },
            instructions: { ...text, description: "Anything else the executor must know." },
          },
          required: ["task_id", "description", "execution_type", ...pinned, "arguments", "dependencies"],
        },
      },
    },
    required: ["tasks"],
  };
}

/** Kinds whose tasks name the resource in that field. */
function pinnedIn(field: TaskPin["field"]): readonly ExecutionKind[] {
  return executionKinds.filter((kind) => kindRecord(kind).pin.field === field);
}

function hasOwnField(kind: ExecutionKind): boolean {
  return kindRecord(kind).pin.field !== "parameters.uid";
}

/** Stage 2's answer. */
export function stepSchema(resources: readonly Resource[] = []) {
  return {
    type: "object",
    properties: {
      uid: idOf(resources, executionKinds, "Id of the chosen resource."),
      input_data: { type: "object", description: "Fits the input schema of that resource." },
      plan: { ...text, description: "Why, in one sentence." },
    },
    required: ["uid", "input_data"],
  };
}

function idOf(resources: readonly Resource[], kinds: readonly ExecutionKind[], description: string) {
  const ids = [...new Set(resources.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id))];
  return ids.length === 0 || ids.length > maxIds ? { ...text, description } : { ...text, description, enum: ids };
}
