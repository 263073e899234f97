import {
  collectSecrets,
  type FoundSecret,
  formatPath,
  hashValue,
  isRecord,
  type PlannerTask,
  planRevision,
  type TaskData,
} from "@planloom/plan";
import type { Registry } from "../executors/registry.ts";
import { checkPrepared, finishStep, type PreparedStep } from "../input/prepare-step.ts";
import type { AskedQuestion, AskedTask } from "../journal/journal.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";

/** What a person is asked about one task: exactly what its executor will be called with. It has the names of secrets, never their values. */
export interface Question extends AskedQuestion {
  readonly uid: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type BoundByAnswer = Pick<Question, "kind" | "uid" | "input" | "parameters" | "output_module" | "retry_until">;

/**
 * SHA-256 of all that an answer binds: the planned content of the task and of everything it depends on, the resource, the input
 * and the parameters that the executor gets, the module of a workflow that is asked for, and how often the call is made.
 * @param planned the task's content hash within its plan (`planHashes`).
 */
export function questionHash(planned: string, asked: BoundByAnswer): string {
  const { kind, uid, input, parameters = {}, output_module = "", retry_until } = asked;
  return hashValue({ planned, kind, uid, input, parameters, output_module, ...(retry_until && { retry_until }) });
}

/** What is asked about a step that is ready for its executor. */
export function questionOf(prepared: PreparedStep, planned: string, plan: TaskData): Question {
  const { kind, step, task, resource } = prepared;
  const { uid, input_data: input, output_module } = step;
  const asked: BoundByAnswer = {
    kind,
    uid,
    input,
    ...(Object.keys(task.parameters).length > 0 && { parameters: task.parameters }),
    ...(output_module !== undefined && { output_module }),
    ...(task.retry_until !== undefined && { retry_until: task.retry_until }),
  };
  const revision = planRevision(plan);
  return {
    ...asked,
    content_hash: questionHash(planned, asked),
    planned_hash: planned,
    ...(step.plan !== undefined && { plan: step.plan }),
    ...(task.convertor_code && { convertor_code: task.convertor_code }),
    ...(revision !== "" && { revision }),
    ...(resource.input_schema !== undefined && { input_schema: resource.input_schema }),
  };
}

/** A question as a record has it, beside its own `uid` and `input`. */
export function storedQuestion({ uid: _, input: __, ...question }: Question): AskedQuestion {
  return question;
}

/**
 * The step that was asked about before, in an earlier session say, so that neither `convertor_code` nor Stage 2 is run again.
 * @param task the task with references in `parameters` resolved.
 * @param planned its content hash now.
 * @returns undefined where it has to be prepared again: the plan has changed, or the resource is not there or takes other input
 */
export function storedStep(
  { question, uid, input }: AskedTask,
  task: PlannerTask,
  planned: string,
  known: { readonly registry: Registry; readonly secrets: SecretResolver | undefined },
): PreparedStep | undefined {
  if (question === undefined || uid === undefined || !isRecord(input)) return undefined;
  const { kind, output_module, plan } = question;
  const asked = {
    kind,
    uid,
    input,
    parameters: task.parameters,
    ...(output_module !== undefined && { output_module }),
    ...(task.retry_until !== undefined && { retry_until: task.retry_until }),
  };
  if (questionHash(planned, asked) !== question.content_hash) return undefined;
  const step = {
    uid,
    input_data: structuredClone(input),
    ...(plan !== undefined && { plan }),
    ...(output_module !== undefined && { output_module }),
  };
  try {
    const prepared = finishStep(step, task, known);
    return "unavailable" in prepared || prepared.kind !== kind ? undefined : prepared;
  } catch (error) {
    if (error instanceof TaskFailure) return undefined;
    throw error;
  }
}

/** Secrets that an edited input names where the input before did not. */
export function secretsOutOfPlace(before: unknown, edited: unknown): FoundSecret[] {
  const places = new Set(collectSecrets(before).map(placeOf));
  return collectSecrets(edited).filter((secret) => !places.has(placeOf(secret)));
}

function placeOf({ name, path }: FoundSecret): string {
  return JSON.stringify([name, path]);
}

/**
 * The step with the input that a person put in the place of the one that was asked about.
 * @throws TaskFailure INVALID_INPUT, SECRET where the input does not fit the resource, or names a secret where the task names none
 */
export function editedStep(
  prepared: PreparedStep,
  input: Readonly<Record<string, unknown>>,
  resolver: SecretResolver | undefined,
): PreparedStep {
  const { secrets: planned = [], ...rest } = prepared;
  const [strange] = secretsOutOfPlace(prepared.step.input_data, input);
  if (strange !== undefined) {
    const where = formatPath(strange.path);
    const message = `Expected the edited input to name secrets only where the task does, got ${JSON.stringify(strange.name)} at \`${where}\`.`;
    throw new TaskFailure(TaskErrorCode.SECRET, message, { retryable: false, details: { name: strange.name } });
  }
  const places = new Set(planned.map(placeOf));
  const kept = collectSecrets(input).filter((secret) => places.has(placeOf(secret)));
  const edited: PreparedStep = {
    ...rest,
    step: { ...prepared.step, input_data: structuredClone(input) },
    // A replay compares what the plan's references gave.
    bindInput: prepared.bindInput ?? prepared.step.input_data,
    ...(kept.length > 0 && { secrets: kept }),
  };
  checkPrepared(edited, resolver);
  return edited;
}
