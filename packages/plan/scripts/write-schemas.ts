import { writeFileSync } from "node:fs";
import { recordNames, recordSchemas } from "../src/records/record-schemas.ts";

// Writes `schemas/*.json` from the records: `pnpm --filter @planloom/plan schemas`. A test checks that they are current.
for (const name of recordNames) {
  const file = new URL(`../schemas/${name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(recordSchemas[name], null, 2)}\n`);
  process.stdout.write(`${name}.json\n`);
}
