// Bundles runtime-row.ts into a folder, as the packages are published: `node bundle-row.ts FOLDER` makes FOLDER/row.mjs. A process
// of its own, since children count what their parent had in memory as their own.
import { join } from "node:path";
import { build } from "rolldown";

const [, , folder = "."] = process.argv;
const input = join(import.meta.dirname, "runtime-row.ts");
await build({ input, platform: "node", logLevel: "warn", output: { dir: folder, entryFileNames: "row.mjs" } });
