import { z } from "zod";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { JsonSchema } from "../json.ts";
import { PlanPatch } from "../patch/plan-patch.ts";
import type { Step } from "../ports/executor.ts";
import type { Resource } from "../ports/resource.ts";
import { BranchName, Choose, decisionFields, ItemName, takenItemNames } from "./control-flow.ts";
import { EstimateData } from "./estimate-data.ts";
import { Job } from "./job.ts";
import { ExecutionType, PlannerTask } from "./planner-task.ts";
import { SubGraph } from "./sub-graph.ts";
import { TaskData } from "./task-data.ts";
import { TaskId } from "./task-id.ts";
import { Wait } from "./waiting.ts";

/** The records that have a published schema. */
export const recordNames = [
  "PlannerTask",
  "TaskData",
  "SubGraph",
  "Job",
  "PlanPatch",
  "PlanIssue",
  "Resource",
  "Step",
] as const;
export type RecordName = (typeof recordNames)[number];

/**
 * The JSON Schemas (2020-12) of the records by name, as objects to read a record with: fields that have a default may
 * be left out. The same schemas are files in `schemas/`. Each is made on first use.
 */
export const recordSchemas: Readonly<Record<RecordName, JsonSchema>> = lazily({
  PlannerTask: () => toJsonSchema("PlannerTask", PlannerTask),
  TaskData: () => toJsonSchema("TaskData", TaskData),
  SubGraph: () => toJsonSchema("SubGraph", SubGraph),
  Job: () => toJsonSchema("Job", Job),
  PlanPatch: () => toJsonSchema("PlanPatch", PlanPatch),
  PlanIssue: () => toJsonSchema("PlanIssue", planIssue()),
  Resource: () => toJsonSchema("Resource", resource()),
  Step: () => toJsonSchema("Step", step()),
});

function lazily(makers: Readonly<Record<RecordName, () => JsonSchema>>): Readonly<Record<RecordName, JsonSchema>> {
  const made = new Map<RecordName, JsonSchema>();
  const schemas = {} as Record<RecordName, JsonSchema>;
  for (const name of recordNames) {
    Object.defineProperty(schemas, name, {
      enumerable: true,
      get() {
        let schema = made.get(name);
        if (schema === undefined) {
          schema = makers[name]();
          made.set(name, schema);
        }
        return schema;
      },
    });
  }
  return Object.freeze(schemas);
}

/** Fields whose default differs each time, which a schema cannot express. */
const generatedDefaults: ReadonlySet<string> = new Set([
  "task_id",
  "patch_id",
  "creation_time",
  "last_update_time",
  "update_time",
]);

function toJsonSchema(name: RecordName, schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema, path }) {
      for (const [refined, rule] of rules) if ((zodSchema as unknown) === refined) Object.assign(jsonSchema, rule);
      if (generatedDefaults.has(String(path.at(-1)))) delete jsonSchema.default;
    },
  });
  const { $schema, ...rest } = made;
  return { $schema, title: name, ...rest };
}

/** What `id in Object.prototype` refuses. */
const prototypeNames = Object.getOwnPropertyNames(Object.prototype).sort();

/** What zod checks by functions, where a schema can say it. That names of branches differ it cannot. */
const rules: readonly (readonly [z.ZodType, Readonly<Record<string, unknown>>])[] = [
  [TaskId, { not: { enum: prototypeNames } }],
  [ItemName, { not: { enum: takenItemNames } }],
  [BranchName, { not: { enum: [...decisionFields, ...prototypeNames] } }],
  [
    Choose,
    {
      anyOf: [{ required: ["condition"] }, { not: { required: ["condition"] } }].map((items) => ({
        properties: { branches: { items } },
      })),
    },
  ],
  [
    Wait,
    {
      oneOf: ["for_ms", "until", "event"].map((field) => ({ required: [field] })),
      not: { required: ["timeout_ms", "deadline"] },
      dependentRequired: Object.fromEntries(
        ["key", "schema", "timeout_ms", "deadline", "on_deadline"].map((field) => [field, ["event"]]),
      ),
      dependentSchemas: { on_deadline: { anyOf: [{ required: ["timeout_ms"] }, { required: ["deadline"] }] } },
    },
  ],
];

// The three below are interfaces, since nothing reads them from outside; `satisfies` keeps the fields complete.
function planIssue(): z.ZodType {
  return z.object({
    code: z.enum(IssueCode),
    severity: z.enum(["error", "warning"]),
    message: z.string(),
    task_id: z.string().optional(),
    within: z.string().optional(),
    argument_path: z.string().optional(),
    resource_id: z.string().optional(),
    from_task_id: z.string().optional(),
    output_path: z.string().optional(),
    expected: z.string().optional(),
    actual: z.string().optional(),
    repair: z
      .object({ operation: z.enum(["replace", "rename", "add", "remove"]), candidates: z.array(z.unknown()).max(10) })
      .optional(),
  } satisfies Record<keyof PlanIssue, z.ZodType>);
}

function resource(): z.ZodType {
  const schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
  const texts = z.array(z.string());
  return z.object({
    kind: ExecutionType.exclude([""]),
    id: z.string(),
    name: z.string().optional(),
    description: z.string(),
    input_schema: schema.optional(),
    output_schema: schema.optional(),
    tags: texts.optional(),
    sub_type: z.string().optional(),
    protocol_type: z.string().optional(),
    version: z.string().optional(),
    endpoint: z.string().optional(),
    traits: texts.optional(),
    skills: texts.optional(),
    read_only: z.boolean().optional(),
    destructive: z.boolean().optional(),
    idempotent: z.boolean().optional(),
    estimate: EstimateData.optional(),
  } satisfies Record<keyof Resource, z.ZodType>);
}

function step(): z.ZodType {
  return z.object({
    uid: z.string(),
    input_data: z.record(z.string(), z.unknown()),
    plan: z.string().optional(),
    output_module: z.string().optional(),
  } satisfies Record<keyof Step, z.ZodType>);
}
