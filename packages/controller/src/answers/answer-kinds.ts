import { type ExecutionKind, isRecord, kindRecord } from "@planloom/plan";

/** How a model's plan writes the tasks of one kind of execution. */
export interface AnswerKind {
  /** The field of a task that names its resource. */
  readonly field: string;
  /** The heading over the cards of the kind. */
  readonly heading: string;
  /** What one task of the answer looks like; the values are placeholders, which a model could not copy by mistake. */
  readonly form: string;
  /**
   * What a task says in words. `for`: which words of the request it is for; a model that has to name them plans less that was not asked
   * for. `description`: what is to be done. `prompt`: all of the request, so that the task has no arguments: what else the schema takes are settings.
   */
  readonly words: "for" | "description" | "prompt";
}

/** Code asks these records and does not compare names of kinds. `kindRecord` has the facts that concern plans. */
export const answerKinds = {
  tool: {
    field: "tool_id",
    heading: "Tools",
    form: '{"task_id": "t1", "for": WORDS OF THE REQUEST, "tool_id": ID, "arguments": {…}}',
    words: "for",
  },
  agent: {
    field: "agent_id",
    heading: "Agents",
    form: '{"task_id": "t2", "agent_id": ID, "description": WHAT IT IS TO DO, "arguments": {…}}',
    words: "description",
  },
  llm: {
    field: "llm_id",
    heading: "Language models, which only write: for a text to be made from what other tasks gave",
    form: '{"task_id": "t3", "llm_id": ID, "prompt": WHAT IT IS TO WRITE, WITH ${t1} WHERE IT NEEDS AN OUTPUT}',
    words: "prompt",
  },
  dsl: {
    field: "workflow_id",
    heading: "Workflows",
    form: '{"task_id": "t4", "for": WORDS OF THE REQUEST, "workflow_id": ID, "arguments": {…}}',
    words: "for",
  },
} as const satisfies Record<ExecutionKind, AnswerKind>;

/** The kinds with their records, for looking up a kind by the field of an answer. */
export const answerKindEntries = Object.entries(answerKinds) as readonly (readonly [ExecutionKind, AnswerKind])[];

/** The fields of answers that plans do not have: the id that is in one of them goes to `parameters.uid` of the task. */
export const uidFields = answerKindEntries.flatMap(([kind, { field }]) =>
  kindRecord(kind).pin.field === "parameters.uid" ? [field] : [],
);

/** The id of the resource that a task of an answer names, of any kind. */
export function answeredId(answered: Readonly<Record<string, unknown>>): string | undefined {
  const { parameters } = answered;
  const uid = isRecord(parameters) ? parameters.uid : undefined;
  const ids = answerKindEntries.map(([, { field }]) => answered[field]);
  return [...ids, uid].find((id) => typeof id === "string");
}
