import { type JsonSchema, type PlanIssue, type Resource, type ValidationOptions, validatePlan } from "@planloom/plan";
import { planOf, task } from "./plans.ts";

export const text = { type: "string" } as const;
export const number = { type: "number" } as const;
export const object = (properties: Record<string, JsonSchema>, rest: object = {}) => ({
  type: "object",
  properties,
  ...rest,
});
export const array = (items: JsonSchema) => ({ type: "array", items });

export const shipment = object({ id: text, weight: number, carrier: { type: ["string", "null"] } });
export const tools: Resource[] = [
  {
    kind: "tool",
    id: "freight/shipments_list",
    name: "shipments_list",
    description: "Lists shipments",
    input_schema: object({
      status: { enum: ["pending", "in_transit", "delivered", "rejected"] },
      limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
      facility_id: { anyOf: [text, array(text)] },
      since: { type: "string", format: "date" },
    }),
    output_schema: object(
      { rows: array(shipment), total: { type: "integer" }, newest: { $ref: "#/$defs/shipment" } },
      {
        $defs: { shipment },
      },
    ),
  },
  {
    kind: "tool",
    id: "freight/contaminants_list",
    description: "Lists contaminants",
    input_schema: object(
      {
        shipment_ids: array(text),
        level: text,
        page: { $ref: "#/$defs/page" },
        filter: object({ names: array(text), min: number }, { required: ["names"] }),
      },
      { required: ["shipment_ids"], $defs: { page: { type: "integer", minimum: 0 } } },
    ),
  },
  {
    kind: "tool",
    id: "post/mail",
    description: "Sends mail",
    input_schema: object({ to: text, body: text, copies: number }, { required: ["to"], additionalProperties: false }),
  },
  { kind: "agent", id: "analyst", description: "Analyses" },
];

export const use = (task_id: string, tool_id: string, values: Record<string, unknown> = {}, rest: object = {}) =>
  task({ task_id, execution_type: "tool", tool_id, arguments: values, ...rest });
export const list = use("list", "freight/shipments_list");
export const check = (tasks: Parameters<typeof planOf>[0], options?: ValidationOptions) =>
  validatePlan(planOf(tasks), tools, options);
export const brief = ({ code, severity, task_id, argument_path, expected, actual }: PlanIssue) =>
  JSON.parse(JSON.stringify({ code, severity, task_id, argument_path, expected, actual }));
