import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

export const auditWorkflowFile = fileURLToPath(new URL("../workflows/audit-facilities.yaml", import.meta.url));

const FacilityAudit = z.object({
  facility_id: z.string(),
  shipments: z.int(),
  rejected_inspections: z.int(),
  critical_contaminants: z.int(),
});

/** Options for `defineWorkflow`: the plan document, and a JSONata expression that makes one row a facility of its outputs. */
export const facilityAudit = {
  id: "audit_facilities",
  name: "audit_facilities",
  description: "Audits facilities: counts their shipments, rejected inspections and critical contaminants.",
  plan: readFileSync(auditWorkflowFile, "utf8"),
  input: z.object({ facility_id: z.union([z.string(), z.array(z.string())]).describe("One id or several.") }),
  output: `{
    "facilities": [input.facility_id.($id := $; {
      "facility_id": $id,
      "shipments": $count($$.outputs.shipments[facility_id = $id]),
      "rejected_inspections": $count($$.outputs.rejections[facility_id = $id]),
      "critical_contaminants": $count($$.outputs.findings[facility_id = $id])
    })],
    "worst_carrier": outputs.carriers[0].carrier
  }`,
  outputSchema: z.object({ facilities: z.array(FacilityAudit), worst_carrier: z.string().optional() }),
};
