import { fileURLToPath } from "node:url";

export { carrierAuditor, type RankedCarrier, rankCarriers } from "./agents.ts";
export { facilityTypes, freightTools, inspectionStatuses, riskLevels, shipmentStatuses } from "./catalogue.ts";
export { Calendar } from "./data/calendar.ts";
export { databaseFile, openFreight } from "./data/database.ts";
export { cities, type FreightData, generateFreight } from "./data/generate.ts";
export { type Filters, queries } from "./data/queries.ts";
export { latency } from "./latency.ts";
export { facilityAssessment } from "./workflows.ts";

/** The `mcpServers` map that starts the freight server. */
export const freightConfigFile = fileURLToPath(new URL("../mcp.json", import.meta.url));

/** The job in three parts. */
export const freightJobFile = fileURLToPath(new URL("../job.yaml", import.meta.url));
