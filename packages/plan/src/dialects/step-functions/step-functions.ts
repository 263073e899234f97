import { isRecord } from "../../json.ts";
import type { TaskData } from "../../records/task-data.ts";
import type { Dialect, ReadContext } from "../dialect.ts";
import { dialectError } from "../dialect-error.ts";
import { checkTextSize } from "../json-values.ts";
import { planOf } from "../plan-shell.ts";
import { readStates } from "./read-states.ts";
import { name } from "./refusal.ts";
import type { Fields } from "./state-data.ts";
import { asTemplate, referenceTo } from "./value.ts";
import { writeMachine } from "./write-states.ts";

/**
 * State machines of AWS Step Functions (Amazon States Language): Task, Parallel, Map, Choice, Wait, Pass, Succeed and Fail, with JSONPath or JSONata. What a state
 * hands on is followed to the tasks that use it. A state or field that a plan has nothing for is refused by name; nothing is left out.
 */
export const stepFunctions = {
  name,
  description: "State machines of AWS Step Functions (Amazon States Language)",
  // A state that fails ends the execution, and is tried again only where it says so. Without `TimeoutSeconds` a Task has that of the language.
  runRules: {
    onFailure: "halt",
    concurrency: null,
    taskTimeoutMs: 99_999_999 * 1000,
    maxAttempts: null,
    defaultAttempts: 1,
  },
  recognises: (value) => isRecord(value) && typeof value.StartAt === "string" && isRecord(value.States),
  read: readStepFunctions,
  write: writeMachine,
} satisfies Dialect;

const fields = ["Comment", "QueryLanguage", "StartAt", "States", "Version"];

function readStepFunctions(source: unknown, context: ReadContext = {}): TaskData {
  const machine = typeof source === "string" ? machineIn(source, context) : source;
  if (!isRecord(machine)) throw dialectError(name, "Expected a state machine: an object with `StartAt` and `States`.");
  const unknown = Object.keys(machine).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw dialectError(name, `The field \`${unknown}\` of the state machine cannot be converted.`, {
      details: { field: unknown },
    });
  const variables = new Map<string, unknown>();
  const beginning = {
    input: referenceTo("input"),
    variables: new Map(),
    after: [],
    items: [],
    jsonata: false,
    declared: variables,
  };
  const { tasks, output, last } = readStates(machine as Fields, beginning, "");
  if (tasks.length === 0)
    throw dialectError(
      name,
      "Expected a state machine in which a Task is done, got one without: a plan is made of calls.",
      { details: {} },
    );
  const result = asTemplate(output);
  const isPlain =
    output.kind === "reference" &&
    last.length === 1 &&
    output.reference.name === last[0] &&
    output.reference.path.length === 0;
  return planOf(tasks, context, {
    metadata: { dialect: name, ...(!isPlain && result !== undefined && { output: result }) },
    ...(typeof machine.Comment === "string" && { title: machine.Comment }),
    ...(variables.size > 0 && { variables: Object.fromEntries(variables) }),
  });
}

function machineIn(text: string, context: ReadContext): unknown {
  checkTextSize(text, context.maxBytes);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw dialectError(name, "Expected a state machine as JSON, and the text cannot be read as that.", { cause });
  }
}
