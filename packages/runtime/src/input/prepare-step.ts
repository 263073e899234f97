import { constants } from "node:buffer";
import {
  type Bind,
  type BindOptions,
  collectSecrets,
  type ExecutionKind,
  executionKinds,
  type FoundSecret,
  isJudgedStep,
  isRecord,
  kindRecord,
  PlanError,
  type PlannerTask,
  type ReferenceLookup,
  resolveReferences,
  resourcePin,
  type Step,
  validateStep,
  whyUnavailable,
} from "@planloom/plan";
import { issueText } from "../executors/read-schema.ts";
import type { Registry, RegistryEntry } from "../executors/registry.ts";
import { evaluateExpression } from "../expressions/evaluate-expression.ts";
import { cloneJson, JsonCopyError, jsonCopy } from "../json-copy.ts";
import { checkFillable } from "../secrets/fill-in.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import { TaskErrorCode, TaskFailure, taskErrorFrom } from "../task-error.ts";
import { checkInputSize, inputLimit, inputTooLarge } from "./check-input-size.ts";

/** A task made ready for its executor. */
export interface PreparedStep extends RegistryEntry {
  readonly kind: ExecutionKind;
  readonly step: Step;
  /** References in `parameters` resolved. */
  readonly task: PlannerTask;
  /** Where in the input a secret is to be filled in; absent where none is. */
  readonly secrets?: readonly FoundSecret[];
  /** The input that Stage 2 got; absent when it was not called. */
  readonly bindInput?: Readonly<Record<string, unknown>>;
}

/** The resource exists and cannot execute now; the task is to be skipped. */
export interface UnavailableStep {
  readonly unavailable: string;
  readonly kind: ExecutionKind;
  readonly uid: string;
}

export interface PrepareOptions {
  readonly registry: Registry;
  readonly lookup: ReferenceLookup;
  readonly bind: Bind | undefined;
  /** Values under those of the task's arguments (`executeModule`). */
  readonly baseInput: Readonly<Record<string, unknown>> | undefined;
  readonly runInput: Readonly<Record<string, unknown>> | undefined;
  readonly secrets: SecretResolver | undefined;
  /** Of the run. */
  readonly maxOutputBytes: number;
  readonly bindOptions: () => BindOptions;
}

/**
 * Resolves references, applies `convertor_code`, asks Stage 2 (without one: the pinned resource with the arguments as they
 * are), and checks the input against the resource's schema, in that order. Synchronous where nothing has to wait.
 * @throws TaskFailure (or rejects) with the code of the step that failed; never retryable.
 */
export function prepareStep(
  task: PlannerTask,
  options: PrepareOptions,
): PreparedStep | UnavailableStep | Promise<PreparedStep | UnavailableStep> {
  const pinned = pinnedEntry(task, options.registry);
  if (pinned !== undefined && "unavailable" in pinned) return pinned;
  const { input, resolved } = resolveInput(task, options);
  if (!task.convertor_code && options.bind === undefined)
    return finish(pinnedStep(task, input, pinned), resolved, pinned, options);
  return prepareSlowly(resolved, input, pinned, options);
}

interface Pinned extends RegistryEntry {
  readonly kind: ExecutionKind;
}

async function prepareSlowly(
  task: PlannerTask,
  resolved: Record<string, unknown>,
  pinned: Pinned | undefined,
  options: PrepareOptions,
): Promise<PreparedStep | UnavailableStep> {
  const input = task.convertor_code ? await convert(task.convertor_code, resolved) : resolved;
  const { bind, runInput } = options;
  if (bind === undefined) return finish(pinnedStep(task, input, pinned), task, pinned, options);
  let step: unknown;
  try {
    // A copy, since the input shares values with outputs of other tasks.
    step = await bind({ task, input: cloneJson(input), ...(runInput && { runInput }) }, options.bindOptions());
  } catch (thrown) {
    if (thrown instanceof TaskFailure) throw thrown;
    const { message, details } = taskErrorFrom(thrown);
    throw new TaskFailure(TaskErrorCode.BIND, message, {
      retryable: false,
      cause: thrown,
      ...(details && { details }),
    });
  }
  if (!isStep(step)) {
    throw new TaskFailure(
      TaskErrorCode.BIND,
      `Expected Stage 2 to give { uid, input_data } for task "${task.task_id}".`,
      {
        retryable: false,
      },
    );
  }
  const finished = finish(
    { ...step, input_data: plainInput(step, task, options.maxOutputBytes) },
    task,
    undefined,
    options,
    step,
  );
  return "unavailable" in finished ? finished : { ...finished, bindInput: input };
}

/** The task with references in `parameters` resolved, as its executor gets it. @throws TaskFailure REFERENCE */
export function resolveParameters(task: PlannerTask, lookup: ReferenceLookup, maxText?: number): PlannerTask {
  return withReferences(() => {
    const parameters = resolveReferences(task.parameters, lookup, maxText) as Record<string, unknown>;
    return parameters === task.parameters ? task : { ...task, parameters };
  });
}

/** A copy as plain JSON. @throws TaskFailure BIND for an input that is not JSON, INPUT_TOO_LARGE */
function plainInput({ input_data }: Step, { task_id }: PlannerTask, maxOutputBytes: number): Record<string, unknown> {
  const maxBytes = inputLimit(maxOutputBytes);
  try {
    return jsonCopy(input_data, { maxBytes, finite: true }).value as Record<string, unknown>;
  } catch (cause) {
    if (cause instanceof JsonCopyError && cause.reason === "too-large") throw inputTooLarge(maxBytes, cause);
    const { message } = taskErrorFrom(cause);
    const text = `The input that Stage 2 (\`bind\`) gave for task "${task_id}" is not JSON: ${message}`;
    throw new TaskFailure(TaskErrorCode.BIND, text, { retryable: false, cause });
  }
}

function isStep(value: unknown): value is Step {
  return isRecord(value) && typeof value.uid === "string" && value.uid !== "" && isRecord(value.input_data);
}

function resolveInput(
  task: PlannerTask,
  options: PrepareOptions,
): { input: Record<string, unknown>; resolved: PlannerTask } {
  if (options.baseInput === undefined && isEmpty(task.arguments) && isEmpty(task.parameters)) {
    return { input: task.arguments, resolved: task };
  }
  return withReferences(() => {
    const maxText = inputLimit(options.maxOutputBytes);
    const own = resolveReferences(task.arguments, options.lookup, maxText) as Record<string, unknown>;
    const input = options.baseInput === undefined ? own : { ...options.baseInput, ...own };
    const resolved = resolveParameters(task, options.lookup, maxText);
    // Where nothing was put in, the input is as large as the plan has it.
    if (own !== task.arguments) checkInputSize(input, options.maxOutputBytes);
    if (resolved !== task) checkInputSize(resolved.parameters, options.maxOutputBytes);
    return { input, resolved };
  });
}

/** Resolves references; what keeps one from being resolved fails the task. @throws TaskFailure REFERENCE, INPUT_TOO_LARGE for texts that would be too long */
export function withReferences<Value>(resolve: () => Value): Value {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof RangeError) throw inputTooLarge(constants.MAX_STRING_LENGTH, error);
    if (!(error instanceof PlanError)) throw error;
    const { message, details } = error;
    if (typeof details.max_characters === "number") throw inputTooLarge(details.max_characters, error);
    throw new TaskFailure(TaskErrorCode.REFERENCE, message, { retryable: false, details, cause: error });
  }
}

function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  for (const _ in record) return false;
  return true;
}

async function convert(code: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const converted = await evaluateExpression(code, input);
  if (isRecord(converted)) return converted;
  const got = converted === undefined ? "nothing" : Array.isArray(converted) ? "a list" : `a ${typeof converted}`;
  throw new TaskFailure(TaskErrorCode.CONVERTOR, `Expected convertor_code to give an object, the input; got ${got}.`, {
    retryable: false,
  });
}

/** What the task itself says about its resource; `undefined` when that is open. */
function pinnedEntry(task: PlannerTask, registry: Registry): Pinned | UnavailableStep | undefined {
  const { kind, uid } = resourcePin(task);
  if (uid === undefined) return undefined;
  return entryOf(task, kind, uid, registry);
}

function entryOf(
  task: PlannerTask,
  kind: ExecutionKind | undefined,
  uid: string,
  registry: Registry,
): Pinned | UnavailableStep {
  const [decided] = kind === undefined ? registry.catalogue.kindsOf(uid) : [kind];
  const entry = decided && registry.find(decided, uid);
  if (decided === undefined || entry === undefined) throw notFound(task, decided, uid, registry);
  const reason = whyUnavailable(entry.executor, entry.resource.id);
  if (reason !== undefined) return { unavailable: reason, kind: decided, uid: entry.resource.id };
  return { kind: decided, executor: entry.executor, resource: entry.resource };
}

function pinnedStep(task: PlannerTask, input: Record<string, unknown>, pinned: Pinned | undefined): Step {
  if (pinned === undefined) {
    throw new TaskFailure(
      TaskErrorCode.UNBOUND,
      `Task "${task.task_id}" names no resource, and the run has no Stage 2 to choose one. Set ${pinFields(task)}, or give \`bind\`.`,
      { retryable: false },
    );
  }
  return { uid: pinned.resource.id, input_data: input };
}

function pinFields(task: PlannerTask): string {
  const { kind } = resourcePin(task);
  if (kind !== undefined) return kindRecord(kind).pin.field;
  const fields = new Set(executionKinds.map((each) => kindRecord(each).pin.field));
  return `execution_type and ${[...fields].join(", ").replace(/, ([^,]*)$/, " or $1")}`;
}

/**
 * The step with its executor, checked against the resource's schema.
 * @param task with references in `parameters` resolved.
 * @throws TaskFailure RESOURCE_NOT_FOUND, SECRET, INVALID_INPUT
 */
export function finishStep(
  step: Step,
  task: PlannerTask,
  options: Pick<PrepareOptions, "registry" | "secrets">,
): PreparedStep | UnavailableStep {
  return finish(step, task, undefined, options);
}

function finish(
  step: Step,
  task: PlannerTask,
  pinned: Pinned | undefined,
  { registry, secrets: resolver }: Pick<PrepareOptions, "registry" | "secrets">,
  answered?: Step,
): PreparedStep | UnavailableStep {
  const entry = pinned ?? entryOf(task, resourcePin(task).kind, step.uid, registry);
  if ("unavailable" in entry) return entry;
  const { kind, executor, resource } = entry;
  const bound = step.uid === resource.id ? step : { ...step, uid: resource.id };
  const secrets = isEmpty(task.arguments) ? none : collectSecrets(task.arguments);
  const prepared = { kind, executor, resource, step: bound, task, ...(secrets.length > 0 && { secrets }) };
  const isJudged = answered !== undefined && secrets.length === 0 && isJudgedStep(answered, resource, bound.input_data);
  if (!isJudged) checkPrepared(prepared, resolver);
  return prepared;
}

/** @throws TaskFailure SECRET for a secret that cannot be filled in, INVALID_INPUT for what the resource's schema refuses */
export function checkPrepared(prepared: PreparedStep, resolver: SecretResolver | undefined): void {
  const { step, secrets = none, resource } = prepared;
  if (secrets.length > 0) checkFillable(step, secrets, prepared, resolver);
  if (resource.input_schema !== undefined) checkInput(step, secrets, prepared);
}

const none: readonly FoundSecret[] = [];

function checkInput(step: Step, secrets: readonly FoundSecret[], { resource }: RegistryEntry): void {
  const issues = validateStep(step, resource, { secrets }).filter(({ severity }) => severity === "error");
  if (issues.length === 0) return;
  throw new TaskFailure(
    TaskErrorCode.INVALID_INPUT,
    `The input of ${resource.kind} "${resource.id}" does not fit its schema: ${issueText(issues)}`,
    { retryable: false, details: { issues } },
  );
}

function notFound(task: PlannerTask, kind: ExecutionKind | undefined, uid: string, registry: Registry): TaskFailure {
  const known = registry.resources
    .filter((resource) => kind === undefined || resource.kind === kind)
    .map(({ id }) => id);
  const some =
    known.length === 0 ? "none is" : `known: ${known.slice(0, 10).join(", ")}${known.length > 10 ? ", …" : ""}`;
  return new TaskFailure(
    TaskErrorCode.RESOURCE_NOT_FOUND,
    `No ${kind ?? "resource"} "${uid}" is known, which task "${task.task_id}" names (${some}).`,
    { retryable: false, details: { kind: kind ?? null, uid } },
  );
}
