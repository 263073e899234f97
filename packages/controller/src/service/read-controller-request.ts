import { isRecord, Job, PlanningContext, type Resource } from "@planloom/plan";
import type { Phase1Request, Phase2Request, TaskInput } from "../behavior-controller.ts";
import type { ControllerPhase } from "./samples.ts";

export interface ReadRequest {
  readonly phase: ControllerPhase;
  readonly search_id: string;
  readonly data: TaskInput;
  readonly resources: readonly Resource[] | undefined;
  readonly sections: readonly string[] | undefined;
  /** What a Planloom client sends beside the wire form: the job, the task, feedback. */
  readonly rest: Partial<Omit<Phase1Request, "phase_1_data"> & Omit<Phase2Request, "phase_2_data">>;
}

/** Why a request is not answered. */
export interface Refused {
  readonly status: 400;
  readonly message: string;
}

/** What each field beside the wire form has to be, where a request has it. */
const fields: Readonly<Record<string, readonly [expected: string, fits: (value: unknown) => boolean]>> = {
  time: ["an object with `now` and `time_zone`", (value) => isRecord(value) && isText(value.now)],
  sections: ["a list of texts", (value) => Array.isArray(value) && value.every(isText)],
  resources: ["a list of resources", isResources],
  shown_resources: ["a list of resources", isResources],
  ranked: ["true or false", (value) => typeof value === "boolean"],
  feedback: ["a list of attempts, each with `issues`", (value) => Array.isArray(value) && value.every(isAttempt)],
  job: ["a job with a `job_goal`", (value) => Job.safeParse(value).success],
  context: ["a planning context", (value) => PlanningContext.safeParse(value).success],
  candidate: ["an integer of at least 0", isCount],
  instructions: ["a text", isText],
  replan: ["an object with `tasks`", isRecord],
  task: ["an object with a `description`", (value) => isRecord(value) && isText(value.description)],
  input: ["an object", isRecord],
};

/** Reads the body of a request of the Agents Planning System, as parsed from JSON. */
export function readControllerRequest(body: unknown, phase: ControllerPhase): ReadRequest | Refused {
  const field = `phase_${phase}_data`;
  const refused = (message: string): Refused => ({ status: 400, message });
  if (!isRecord(body)) return refused("Expected the body to be an object.");
  const { search_id, [field]: data, ...others } = body;
  if (typeof search_id !== "string" || search_id === "") return refused("Expected `search_id` to be a text, got none.");
  if (!isRecord(data)) return refused(`Expected \`${field}\` to be an object.`);
  const { task_input_data, n_history_samples = 0, llm_data = {} } = data;
  if (typeof task_input_data !== "string" || task_input_data.trim() === "")
    return refused(`Expected \`${field}.task_input_data\` to be a text that says something.`);
  if (!isCount(n_history_samples))
    return refused(`Expected \`${field}.n_history_samples\` to be an integer of at least 0.`);
  if (!isRecord(llm_data)) return refused(`Expected \`${field}.llm_data\` to be an object.`);
  const rest: Record<string, unknown> = {};
  for (const [name, [expected, fits]] of Object.entries(fields)) {
    const value = others[name];
    if (value === undefined || value === null) continue;
    if (!fits(value)) return refused(`Expected \`${name}\` to be ${expected}.`);
    rest[name] = value;
  }
  return {
    phase,
    search_id,
    data: { task_input_data, n_history_samples: n_history_samples as number, llm_data },
    resources: rest.resources as readonly Resource[] | undefined,
    sections: rest.sections as readonly string[] | undefined,
    rest,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isResources(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((each) => isRecord(each) && isText(each.id) && isText(each.kind ?? "tool") && isText(each.description))
  );
}

function isAttempt(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value.issues) && value.issues.every(isRecord);
}
