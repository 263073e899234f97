import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../docs/decisions/", import.meta.url));

/**
 * Which decision settles a feature: `seed.feature` -> file name. A decision names its features in a line of its own,
 * `Conformance: 000.resolve.value, 001.plan.execute`. It excuses only cases whose stance is `improve` or `conflict`.
 */
export async function readDecisions(): Promise<ReadonlyMap<string, string>> {
  const decisions = new Map<string, string>();
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(".md")).sort()) {
    const lines = (await readFile(`${folder}${name}`, "utf8")).split("\n");
    for (const line of lines.filter((each) => each.startsWith("Conformance: "))) {
      for (const feature of line.slice("Conformance: ".length).split(",")) {
        const key = feature.replaceAll("`", "").replace(/\.$/, "").trim();
        if (!decisions.has(key)) decisions.set(key, name);
      }
    }
  }
  return decisions;
}
