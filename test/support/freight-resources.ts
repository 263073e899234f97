import type { Resource } from "@planloom/plan";
import { freightTools } from "../../examples/freight/src/catalogue.ts";

const text = (description: string) => ({ type: "string", description });

/** Makes what the other tools only read. */
export const shipmentsCreate: Resource = {
  kind: "tool",
  id: "shipments_create",
  description: "Create a shipment.",
  input_schema: {
    type: "object",
    properties: {
      from_facility_id: text("Id."),
      to_facility_id: text("Id."),
      waste_type: text("Load."),
      quantity: { type: "number", minimum: 0, description: "Kilograms." },
      carrier: text("Company."),
    },
    required: ["from_facility_id", "to_facility_id", "waste_type", "quantity"],
    additionalProperties: false,
  },
  output_schema: { type: "object", properties: { id: text("Id.") }, required: ["id"] },
};

export const customAnalytics: Resource = {
  kind: "tool",
  id: "custom_analytics",
  description: "Custom analytics for specific use case.",
  input_schema: { type: "object", properties: {} },
};

/** The catalogue of the Planner Agent's documented queries. */
export const freightResources: readonly Resource[] = [...freightTools, shipmentsCreate, customAnalytics];
