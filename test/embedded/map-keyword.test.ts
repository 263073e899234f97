import { mapKeyword } from "@planloom/embedded";
import { expect, test } from "vitest";
import { freightResources } from "../support/freight-resources.ts";

test.for<[string, object]>([
  ["shipments", { tool: "shipments_list" }],
  ["facility", { tool: "facilities_list" }],
  ["contaminants", { tool: "contaminants_list" }],
  ["inspections", { tool: "inspections_list" }],
  ["contaminated", { params: { has_contaminants: true } }],
  ["rejected", { params: { status: "rejected" } }],
  ["in transit", { params: { status: "in_transit" } }],
  ["high-risk", { params: { risk_level: "high" } }],
  ["Berlin", { params: { location: "Berlin" } }],
  ["today", { params: { date_from: "2025-10-12", date_to: "2025-10-12" } }],
  ["whatever", {}],
  ["", {}],
  ["__proto__", {}],
])("%s", ([keyword, expected]) => {
  expect(mapKeyword(keyword, freightResources, { now: "2025-10-12T06:00:00Z", timeZone: "UTC" })).toEqual(expected);
});
