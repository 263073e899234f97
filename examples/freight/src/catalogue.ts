import type { JsonSchema, Resource } from "@planloom/plan";

/**
 * The four tools as data: the server registers them from here, and whoever plans without a server (tests, the
 * conformance runner) hands the same records to a planner. Descriptions are short on purpose: they name the thing and
 * the column, and hold no phrasing of a user's question, so a planner has to work from schemas.
 */

const text = (description: string): JsonSchema => ({ type: "string", description });
const choice = (description: string, values: readonly string[]): JsonSchema => ({
  type: "string",
  enum: [...values],
  description,
});
const day = (description: string): JsonSchema => ({ type: "string", format: "date", description });
const flag = (description: string): JsonSchema => ({ type: "boolean", description });
const amount = (description: string): JsonSchema => ({ type: "number", minimum: 0, description });
const ids = (description: string): JsonSchema => ({ type: "array", items: { type: "string" }, description });
/** One id or several; an empty list matches nothing. */
const idOrIds = (description: string): JsonSchema => ({
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
  description,
});
const limit: JsonSchema = {
  type: "integer",
  minimum: 1,
  maximum: 1000,
  default: 100,
  description: "Most rows returned.",
};

const input = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
});

/** An array of rows; every column is present in every row. */
const rows = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "array",
  items: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
});

export const shipmentStatuses = ["pending", "in_transit", "delivered", "rejected"] as const;
export const facilityTypes = ["sorting", "processing", "disposal"] as const;
export const riskLevels = ["low", "medium", "high", "critical"] as const;
export const inspectionStatuses = ["accepted", "rejected", "pending"] as const;

const shipments: Resource = {
  kind: "tool",
  id: "shipments_list",
  description: "List shipments.",
  input_schema: input({
    date_from: day("Earliest day."),
    date_to: day("Latest day."),
    facility_id: idOrIds("One id or several."),
    status: choice("Status.", shipmentStatuses),
    has_contaminants: flag("Keep those with (true) or without (false)."),
    waste_type: text("Load."),
    carrier: text("Company."),
    limit,
  }),
  output_schema: rows({
    id: text("Id."),
    facility_id: text("Id."),
    date: day("Day."),
    status: choice("Status.", shipmentStatuses),
    waste_type: text("Load."),
    carrier: text("Company."),
    weight_kg: amount("Kilograms."),
    has_contaminants: flag("With or without."),
  }),
  read_only: true,
  idempotent: true,
};

const facilities: Resource = {
  kind: "tool",
  id: "facilities_list",
  description: "List facilities.",
  input_schema: input({
    location: text("City."),
    type: choice("Type.", facilityTypes),
    min_capacity: amount("Tonnes a day, at least."),
    ids: ids("Several ids."),
  }),
  output_schema: rows({
    id: text("Id."),
    name: text("Name."),
    location: text("City."),
    type: choice("Type.", facilityTypes),
    capacity: amount("Tonnes a day."),
  }),
  read_only: true,
  idempotent: true,
};

const contaminants: Resource = {
  kind: "tool",
  id: "contaminants_list",
  description: "List contaminants.",
  input_schema: input({
    shipment_ids: ids("Several ids."),
    facility_id: idOrIds("One id or several."),
    date_from: day("Earliest day."),
    date_to: day("Latest day."),
    type: text("Substance."),
    risk_level: choice("Level.", riskLevels),
  }),
  output_schema: rows({
    id: text("Id."),
    shipment_id: text("Id."),
    facility_id: text("Id."),
    date: day("Day."),
    type: text("Substance."),
    risk_level: choice("Level.", riskLevels),
    concentration: amount("Milligrams a kilogram."),
  }),
  read_only: true,
  idempotent: true,
};

const inspections: Resource = {
  kind: "tool",
  id: "inspections_list",
  description: "List inspections.",
  input_schema: input({
    date_from: day("Earliest day."),
    date_to: day("Latest day."),
    status: choice("Status.", inspectionStatuses),
    facility_id: idOrIds("One id or several."),
    shipment_id: idOrIds("One id or several."),
    has_risk_contaminants: flag("Keep those with (true) or without (false)."),
    limit,
  }),
  output_schema: rows({
    id: text("Id."),
    shipment_id: text("Id."),
    facility_id: text("Id."),
    date: day("Day."),
    status: choice("Status.", inspectionStatuses),
    inspector: text("Person."),
    has_risk_contaminants: flag("With or without."),
  }),
  read_only: true,
  idempotent: true,
};

/** Resources of kind `tool`, ids without a server's name; an MCP client lists them as `freight/shipments_list` and so on. */
export const freightTools: readonly Resource[] = [shipments, facilities, contaminants, inspections];
