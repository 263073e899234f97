import { freightTools } from "@planloom/example-freight";
import type { JsonSchema, Resource } from "@planloom/plan";

const text: JsonSchema = { type: "string" };

/** Two tools that some queries ask for and the freight example does not serve. */
const more: readonly Resource[] = [
  {
    kind: "tool",
    id: "shipments_create",
    description: "Create a shipment.",
    input_schema: {
      type: "object",
      properties: {
        from_facility_id: { ...text, description: "Where it leaves." },
        to_facility_id: { ...text, description: "Where it goes." },
        waste_type: { ...text, description: "Load." },
        quantity: { type: "number", minimum: 0, description: "Kilograms (kg)." },
        carrier: { ...text, description: "Company." },
      },
      required: ["from_facility_id", "to_facility_id"],
      additionalProperties: false,
    },
    output_schema: { type: "object", properties: { id: text } },
  },
  {
    kind: "tool",
    id: "custom_analytics",
    description: "Run custom analytics.",
    input_schema: { type: "object", properties: {}, additionalProperties: false },
  },
];

/** What every `query.plan` and `keyword.map` case plans with. 1,500 ms is what seed 001 prints for one of its steps. */
export const catalogue: readonly Resource[] = [...freightTools, ...more].map((resource) => ({
  ...resource,
  estimate: { duration_ms: 1500 },
}));
