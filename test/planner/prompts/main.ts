// Writes docs/prompts, the texts that models are sent: `pnpm prompts`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promptPages } from "./pages.ts";

const folder = fileURLToPath(new URL("../../../docs/prompts", import.meta.url));
const pages = await promptPages();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
process.stdout.write(`Wrote ${pages.size} pages to docs/prompts.\n`);
