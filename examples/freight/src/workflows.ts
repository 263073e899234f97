import { readFileSync } from "node:fs";
import { z } from "zod";

const plan = readFileSync(new URL("../workflows/assess-facilities.yaml", import.meta.url), "utf8");

const Assessment = z.object({
  facility_id: z.string(),
  shipments: z.int(),
  rejected_inspections: z.int(),
  critical_contaminants: z.int(),
});

/** Options for `defineWorkflow`: the plan document, and a JSONata expression that makes one row a facility of its outputs. */
export const facilityAssessment = {
  id: "assess_facilities",
  name: "assess_facilities",
  description: "Assesses facilities: counts their shipments, rejected inspections and critical contaminants.",
  plan,
  input: z.object({ facility_id: z.union([z.string(), z.array(z.string())]).describe("One id or several.") }),
  output: `{
    "facilities": [$distinct(input.facility_id).($id := $; {
      "facility_id": $id,
      "shipments": $count($$.outputs.shipments[facility_id = $id]),
      "rejected_inspections": $count($$.outputs.rejections[facility_id = $id]),
      "critical_contaminants": $count($$.outputs.findings[facility_id = $id])
    })],
    "worst_carrier": outputs.carriers[0].carrier
  }`,
  outputSchema: z.object({ facilities: z.array(Assessment), worst_carrier: z.string().optional() }),
};
