export { facilityTypes, freightTools, inspectionStatuses, riskLevels, shipmentStatuses } from "./catalogue.ts";
