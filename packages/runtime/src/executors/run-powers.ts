import {
  type ExecutionContext,
  type Executor,
  isRecord,
  isSecretName,
  type JsonSchema,
  type PathSegment,
  type PlannerTaskInput,
  type Resource,
  referenceText,
  type Step,
  type TaskDataInput,
  type Wait,
} from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { waitingFailure } from "../journal/waiting-call.ts";
import { JsonCopyError, jsonCopy } from "../json-copy.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";
import { gateOf, handedOn, nestedCall } from "./agents/nested-call.ts";
import { checkEnded, sinkOutput } from "./nested-output.ts";
import { parseInnerPlan } from "./parse-inner-plan.ts";
import type { AsJson } from "./read-schema.ts";
import { type RunScope, scopeOf } from "./scope.ts";

/**
 * What an executor of one's own may ask of the run that it works for. Every step has a name, which must be the same whenever the executor is called again for the
 * task: a step that was completed before is not made again, also after a crash, and gives what it gave then. A step that waits (for a
 * person, a time, a signal) rejects with a `TaskFailure` of the code TASK_WAITING, which the executor must let through: the task sleeps without a slot, and the
 * executor is called again when it may continue.
 */
export interface RunPowers {
  /**
   * Calls a tool of the run, under its limits, rates, budgets, guards, gates and secrets, as a task of its own.
   * @param options.approval `required`: a person is asked about exactly this call first
   * @returns its output. Rejects with TaskFailure: with the code of the call's error, or WAITING
   */
  call(
    name: string,
    uid: string,
    input?: Readonly<Record<string, unknown>>,
    options?: { readonly approval?: "required" },
  ): Promise<unknown>;
  /**
   * Names a secret in the input of `call`, where it is filled in for the call alone: `call("send", "mail/send", { token: secret("MAIL_TOKEN") })`. An
   * object that looks like one is data, so that what a tool gave can name none.
   */
  secret(name: string): SecretReference;
  /** Runs a plan within the task. @returns the output of its last task; of several, an object of theirs. Rejects with TaskFailure NESTED, WAITING */
  runPlan(name: string, plan: TaskDataInput, input?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Waits as a task with `wait` does. @returns the signal's data, or `{ waited_until }`. Rejects with TaskFailure WAITING, DEADLINE */
  wait(name: string, wait: Wait): Promise<unknown>;
  /**
   * Asks a person a question, as a gate does: `waitingFor` shows it, `input.question` has its text, and the answer is `answer` of an edited input
   * (`approve(run, id, { input: { question, answer } })`).
   * @param options.about JSON that is shown with the question
   * @param options.schema of the answer. @default any JSON
   * @returns the answer; null where a person said yes and nothing else. Rejects with TaskFailure WAITING, or DENIED where a person said no
   */
  ask(name: string, question: string, options?: AskOptions): Promise<unknown>;
  /**
   * Makes a value once and keeps it, as JSON. It may be made a second time where the process dies before it is kept.
   * @returns the value as JSON (a Date as its text), the same whenever it is asked for again
   */
  checkpoint<Value>(name: string, make: () => Value | Promise<Value>): Promise<AsJson<Value>>;
}

/** What `secret` gives. */
export interface SecretReference {
  readonly $secret: string;
}

export interface AskOptions {
  readonly about?: Readonly<Record<string, unknown>>;
  readonly schema?: JsonSchema;
}

/**
 * The powers of an executor of one's own. It should say that it `delegates`: then its own call is neither confirmed nor in doubt after a crash, but each call
 * that it makes by `call` is.
 * @throws RuntimeError INVALID_OPTION for a context that is not that of a task in a run
 */
export function runPowers(context: ExecutionContext): RunPowers {
  const scope = scopeOf(context);
  if (scope === undefined) {
    const message =
      "Expected the context that an executor is given by a run; outside of a run there is nothing to call or to wait for.";
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details: { option: "context" } });
  }
  const used = new Set<string>();
  const step = (name: string): string => {
    if (typeof name !== "string" || !/^[\w.-]{1,100}$/.test(name) || used.has(name)) {
      const message = `Expected the name of a step to be 1 to 100 letters, digits, _, . and -, and not that of another step of the task, got ${JSON.stringify(name)}.`;
      throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
    }
    used.add(name);
    return name;
  };
  return {
    async call(name, uid, input = {}, { approval } = {}) {
      const task_id = step(name);
      if (!isRecord(input)) {
        const message = `Expected the input of step "${name}" to be an object, got ${describe(input)}.`;
        throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
      }
      const data = plain(input, name);
      const { isCovered, approval: gate = approval } = gateOf(scope, uid, data, 0);
      return made(
        scope,
        {
          task_id,
          execution_type: "tool",
          tool_id: uid,
          arguments: withSecrets(input, data),
          ...(gate !== undefined && { approval: gate }),
        },
        data,
        [],
        isCovered && approval === undefined,
      );
    },
    secret(name) {
      if (typeof name !== "string" || !isSecretName(name)) {
        const message = `Expected the name of a secret to be letters, digits, _, - and ., got ${describe(name)}.`;
        throw new TaskFailure("TASK_FAILED", message, { retryable: false });
      }
      const reference = Object.freeze({ $secret: name });
      secrets.add(reference);
      return reference;
    },
    async runPlan(name, plan, input = {}) {
      const parsed = parseInnerPlan(plan, `The plan of step "${name}"`);
      const executor = inner("dsl", async (nested) => {
        const within = scopeOf(nested)!;
        const result = await within.runNested(parsed, plain(input, name));
        checkEnded(result, within.path, `plan "${name}"`);
        return sinkOutput(parsed, result);
      });
      const content = { plan: parsed, input: plain(input, name) } as Record<string, unknown>;
      return made(scope, { task_id: step(name), ...innerTask.dsl, arguments: handedOn(content) }, content, [executor]);
    },
    async ask(name, question, { about, schema = {} } = {}) {
      const input = plain({ question, ...(about !== undefined && { about }) }, name);
      const input_schema: JsonSchema = {
        type: "object",
        properties: { question: { type: "string" }, about: {}, answer: schema },
        required: ["question"],
        additionalProperties: false,
      };
      const person = inner("tool", async (_, { input_data }) => input_data.answer ?? null, {
        id: personId,
        input_schema,
      });
      const task = { task_id: step(name), execution_type: "tool", tool_id: personId, approval: "required" } as const;
      return made(scope, { ...task, arguments: handedOn(input) }, input, [person]);
    },
    wait: async (name, wait) => made(scope, { task_id: step(name), wait }, {}, []),
    async checkpoint<Value>(name: string, make: () => Value | Promise<Value>) {
      const executor = inner("tool", async () => make());
      return (await made(scope, { task_id: step(name), ...innerTask.tool }, {}, [executor])) as AsJson<Value>;
    },
  };
}

/** What `secret` has given: nothing else names one. */
const secrets = new WeakSet<object>();

/** Arguments that hand on `data` by reference, and name the secrets that `input`, of which it is a copy, has in its place. */
function withSecrets(input: Readonly<Record<string, unknown>>, data: Readonly<Record<string, unknown>>) {
  const named = (value: unknown): boolean =>
    typeof value === "object" && value !== null && (secrets.has(value) || Object.values(value).some(named));
  const argument = (value: unknown, path: readonly PathSegment[]): unknown => {
    if (!named(value)) return { $ref: referenceText({ name: "input", path, optional: false }) };
    if (secrets.has(value as object)) return { $secret: (value as SecretReference).$secret };
    if (Array.isArray(value)) return value.map((each, index) => argument(each, [...path, { index }]));
    return fieldsOf(value as object, path);
  };
  const fieldsOf = (value: object, path: readonly PathSegment[]) =>
    Object.fromEntries(
      // A copy as JSON has no field that is undefined.
      Object.entries(value).flatMap(([key, each]) =>
        each === undefined ? [] : [[key, argument(each, [...path, { key }])]],
      ),
    );
  return named(input) ? fieldsOf(input, []) : handedOn(data);
}

const innerId = "step";
/** Under this name people are shown who is asked. */
const personId = "person";
const innerTask = {
  tool: { execution_type: "tool", tool_id: innerId },
  dsl: { execution_type: "dsl", parameters: { uid: innerId } },
} as const satisfies Record<string, PlannerTaskInput>;

/** Does a step's own work as a task; people are asked about calls in it, not about it. */
function inner(
  kind: "tool" | "dsl",
  execute: (context: ExecutionContext, step: Step) => Promise<unknown>,
  resource: Partial<Resource> = {},
): Executor {
  const resources = [{ kind, id: innerId, description: "A step of an executor.", read_only: true, ...resource }];
  return {
    kind,
    resources: () => resources,
    delegates: () => true,
    execute: (step, context) => execute(context, step),
  };
}

/** @throws TaskFailure with the code of the step's error; WAITING, which ends the attempt until it may continue */
async function made(
  scope: RunScope,
  task: PlannerTaskInput & { readonly task_id: string },
  input: Readonly<Record<string, unknown>>,
  executors: readonly Executor[],
  isCovered = false,
): Promise<unknown> {
  const outcome = await nestedCall(scope, task, input, { executors, place: task.task_id, isCovered });
  if (outcome.status === "completed") return outcome.output;
  if (outcome.status === "waiting") throw waitingFailure(outcome.waiting);
  const { code, message, details } = outcome.error;
  throw new TaskFailure(code, message, { retryable: false, ...(details !== undefined && { details }) });
}

function plain(input: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  try {
    return jsonCopy(input, { maxBytes: Number.POSITIVE_INFINITY, finite: true }).value as Record<string, unknown>;
  } catch (cause) {
    if (!(cause instanceof JsonCopyError)) throw cause;
    const message = `The input of step "${name}" is not JSON: ${cause.message}`;
    throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false, cause });
  }
}
