import {
  type EstimateData,
  type ExecutionContext,
  type Executor,
  isRecord,
  type OptionChecks,
  type Resource,
  type TypedResource,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";
import {
  type AnySchema,
  type AsJson,
  type ReadSchema,
  readSchema,
  type SchemaInput,
  type SchemaOutput,
  type SchemaResult,
} from "./read-schema.ts";

/** A function of yours, described for planners. Schemas are zod, another Standard Schema, or JSON Schema. */
export interface ToolOptions<
  Input extends AnySchema = AnySchema,
  Output extends AnySchema = AnySchema,
  Id extends string = string,
  Returned = unknown,
> {
  /** Unique among tools. */
  readonly id: Id;
  /** @default id */
  readonly name?: string;
  /** For planners: what it does, and when to use it. */
  readonly description: string;
  /** @default any object */
  readonly input?: Input;
  /**
   * The schema of what `execute` returns. If it is set, outputs are checked, by the compiler and when the tool is called, and planners use it to
   * link tasks. @default unknown
   */
  readonly output?: Output;
  /** Whether it changes nothing outside. Failed attempts are then repeated, and no person is asked before a call. @default false */
  readonly readOnly?: boolean;
  /** May delete or overwrite existing data; a person is asked before a call unless `confirm` says otherwise. @default false */
  readonly destructive?: boolean;
  /** Whether calling it twice has the effect of calling it once. Failed attempts are then repeated. @default false */
  readonly idempotent?: boolean;
  /** The version of the tool. When it changes, runs that watch resources check its tasks again. */
  readonly version?: string;
  /** Shown to planners. With the tag `discovery`, guards count calls as discovery. */
  readonly tags?: readonly string[];
  /** How long a call takes, and what it may use at most: for predictions, grouping and budgets. */
  readonly estimate?: EstimateData;
  /** Does the work; its result is made JSON-safe. Stops when `context.signal` is aborted. */
  execute(input: SchemaOutput<Input>, context: ExecutionContext): ReturnedBy<Output, Returned>;
}

const checks = {
  id: "own",
  name: "text",
  description: "own",
  input: "own",
  output: "own",
  readOnly: "boolean",
  destructive: "boolean",
  idempotent: "boolean",
  version: "text",
  tags: "texts",
  estimate: "object",
  execute: "own",
} as const satisfies OptionChecks<ToolOptions>;

/** A function that plans can call. The types say what it is called with and what it gives, as JSON. */
export interface ToolDefinition<out Id extends string = string, out Input = unknown, out Output = unknown>
  extends TypedResource<Id, Input, Output> {
  readonly input: ReadSchema | undefined;
  readonly output: ReadSchema | undefined;
  execute(input: unknown, context: ExecutionContext): unknown;
}

/**
 * What `execute` may return by the schema of the output: anything, where there is none. Which text or number of several it must be, and
 * what is at which place of a tuple, is checked when the tool is called: the compiler takes a text that is written down for any text here, and a
 * list for a list of any length.
 */
type ReturnedBy<Output, Returned> =
  unknown extends SchemaResult<Output>
    ? Returned
    : Loose<SchemaResult<Output>> | PromiseLike<Loose<SchemaResult<Output>>>;

type Loose<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value extends readonly (infer Item)[]
        ? readonly Loose<Item>[]
        : Value extends Date | Map<unknown, unknown> | Set<unknown> | ((...given: never) => unknown)
          ? Value
          : Value extends object
            ? { [Key in keyof Value]: Loose<Value[Key]> }
            : Value;

/** What a call gives: what the schema of the output says, else what `execute` returns. */
type ToolOutput<Output, Returned> = AsJson<
  unknown extends SchemaResult<Output> ? Awaited<Returned> : SchemaResult<Output>
>;

/** A function as a tool that plans can call. @throws RuntimeError INVALID_DEFINITION, INVALID_OPTION */
export function defineTool<
  const Id extends string,
  const Input extends AnySchema = JsonObjectSchema,
  const Output extends AnySchema = true,
  Returned = unknown,
>(
  options: ToolOptions<Input, Output, Id, Returned>,
): ToolDefinition<Id, SchemaInput<Input>, ToolOutput<Output, Returned>> {
  checkOptions("`defineTool`", options, checks);
  const { id, name, description, version, readOnly, destructive, idempotent, tags, estimate } = options;
  checkDefinition("tool", options, "execute");
  const input = options.input === undefined ? undefined : readSchema(options.input, "input", id);
  const output = options.output === undefined ? undefined : readSchema(options.output, "output", id);
  return {
    resource: {
      kind: "tool",
      id,
      description,
      sub_type: "tool",
      protocol_type: "local",
      ...(name !== undefined && { name }),
      ...(input?.jsonSchema !== undefined && { input_schema: input.jsonSchema }),
      ...(output?.jsonSchema !== undefined && { output_schema: output.jsonSchema }),
      ...(version !== undefined && { version }),
      ...(readOnly !== undefined && { read_only: readOnly }),
      ...(destructive !== undefined && { destructive }),
      ...(idempotent !== undefined && { idempotent }),
      ...(tags !== undefined && { tags }),
      ...(estimate !== undefined && { estimate }),
    },
    input,
    output,
    execute: (value, context) => options.execute(value as SchemaOutput<Input>, context),
  };
}

type JsonObjectSchema = { readonly type: "object" };

/** Executes tool tasks by calling functions of this process. @throws RuntimeError INVALID_DEFINITION for what `defineTool` did not make */
export function toolExecutor(tools: readonly ToolDefinition[]): Executor {
  checkMade("tools", tools, "defineTool", ({ execute }) => typeof execute === "function");
  const byId = new Map(tools.map((tool) => [tool.resource.id, tool]));
  const resources = tools.map(({ resource }) => resource);
  return {
    kind: "tool",
    resources: () => resources,
    estimate: ({ uid }) => byId.get(uid)?.resource.estimate,
    async execute({ uid, input_data }, context) {
      const tool = byId.get(uid);
      if (tool === undefined) throw unknownResource("tool", uid);
      const input = tool.input === undefined ? input_data : await parsed(tool.input, input_data, uid);
      const output = await tool.execute(input, context);
      if (tool.output !== undefined) await checkOutput(tool.output, output, uid);
      return output;
    },
  };
}

/** The error of every built-in executor for an unknown `uid`. */
export function unknownResource(kind: string, uid: string): TaskFailure {
  return new TaskFailure(TaskErrorCode.RESOURCE_NOT_FOUND, `No ${kind} "${uid}" is known.`, {
    retryable: false,
    details: { kind, uid },
  });
}

/** @throws TaskFailure INVALID_INPUT */
export async function parsed(schema: ReadSchema, value: unknown, uid: string): Promise<unknown> {
  const result = await schema.parse(value);
  if (result.ok) return result.value;
  throw new TaskFailure(
    TaskErrorCode.INVALID_INPUT,
    `The input of "${uid}" does not fit its schema: ${asSentence(result.message)}`,
    {
      retryable: false,
      details: { issues: result.issues },
    },
  );
}

async function checkOutput(schema: ReadSchema, value: unknown, uid: string): Promise<void> {
  const result = await schema.parse(value);
  if (result.ok) return;
  throw new TaskFailure(
    TaskErrorCode.OUTPUT_INVALID,
    `The output of "${uid}" does not fit its schema: ${asSentence(result.message)}`,
    {
      details: { issues: result.issues },
    },
  );
}

/** Messages of schemas end as their libraries end them. */
function asSentence(message: string): string {
  return message.endsWith(".") ? message : `${message}.`;
}

/**
 * Looks at a list of definitions before anything of them is used.
 * @param by the function that makes them
 * @throws RuntimeError INVALID_DEFINITION with `details.option` and `details.index` for one that has no resource, or not what `isWhole` asks for
 */
export function checkMade<Definition extends { readonly resource: Resource }>(
  option: string,
  given: readonly Definition[],
  by: string,
  isWhole: (definition: Definition) => boolean,
): void {
  if (!Array.isArray(given)) {
    const message = `Expected \`${option}\` to be a list of what \`${by}\` makes, got ${describe(given)}.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, message, { details: { option } });
  }
  for (const [index, definition] of (given as readonly Definition[]).entries()) {
    if (isRecord(definition) && isRecord(definition.resource) && isWhole(definition)) continue;
    const message = `Expected \`${option}[${index}]\` to be what \`${by}\` makes, got ${describe(definition)}. Wrap it: \`${by}({ … })\`.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, message, { details: { option, index } });
  }
}

/** @throws RuntimeError INVALID_DEFINITION */
export function checkDefinition(
  kind: string,
  definition: {
    readonly id: unknown;
    readonly description: unknown;
    readonly readOnly?: unknown;
    readonly destructive?: unknown;
  },
  method?: string,
): void {
  const { id, description, readOnly, destructive } = definition;
  const problem =
    typeof id !== "string" || id === ""
      ? `Expected the id of a ${kind} to be a text that is not empty`
      : typeof description !== "string"
        ? `Expected the description of ${kind} "${id}" to be a text`
        : method !== undefined && typeof (definition as unknown as Record<string, unknown>)[method] !== "function"
          ? `Expected \`${method}\` of ${kind} "${id}" to be a function`
          : readOnly === true && destructive === true
            ? `Expected ${kind} "${id}" to be \`readOnly\` or \`destructive\`, got both: what changes nothing deletes and overwrites nothing. Leave one out`
            : undefined;
  if (problem === undefined) return;
  throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, `${problem}.`, { details: { id } });
}
