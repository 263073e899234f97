import { readdir } from "node:fs/promises";
import { mcpCli } from "@planloom/compat";
import { folderPlans } from "planloom";

interface Input {
  readonly load?: string;
  readonly list?: boolean;
  readonly files?: readonly string[];
  readonly delete?: string;
  readonly location?: boolean;
}
/** Two plans are there; "unique prefix" is what one of their ids starts with, "ambiguous prefix" what both do. */
const stored = ["plan-one-1.json", "plan-two-2.json"];
const typed: Record<string, string> = {
  "unique prefix": "plan-one",
  "ambiguous prefix": "plan",
  "full id": "plan-two-2",
};

const adapter: ConformanceAdapter<Input> = async (input, { withPlanFiles }) => {
  if (input.location === true) return mcpCli.storeFiles("<id>");
  const { delete: deleted } = input;
  const files = deleted === undefined ? (input.files ?? stored) : [`${deleted}.json`, `${deleted}_state.json`];
  return withPlanFiles(files, async (folder) => {
    const plans = folderPlans(folder);
    if (input.list === true) return { ids: (await plans.list()).map(({ id }) => id).sort() };
    if (input.load !== undefined) {
      // The beginning of an id is for people: what loads and deletes takes whole ids.
      const found = await plans.find(typed[input.load] ?? input.load);
      return { found: found.length === 1 && (await plans.load(found[0]?.id ?? "")) !== undefined };
    }
    await plans.delete(deleted ?? "");
    const left = await readdir(folder);
    return { removes: files.filter((name) => !left.includes(name)), leaves: left };
  });
};
export default adapter;
