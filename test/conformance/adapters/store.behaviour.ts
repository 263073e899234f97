import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderPlans, TaskData } from "planloom";
import { dialects } from "planloom/plan";

interface Input {
  readonly load?: "unique prefix" | "ambiguous prefix";
  readonly list?: boolean;
  readonly files?: readonly string[];
  readonly delete?: string;
  readonly location?: boolean;
}

const adapter: ConformanceAdapter<Input> = async (input) => {
  if (input.location === true) return dialects.mcpCli.storeFiles("<id>");
  const home = await mkdtemp(join(tmpdir(), "planloom-case-"));
  try {
    const folder = join(home, "plans");
    await mkdir(folder);
    const plans = folderPlans(folder);
    const ids = { "ambiguous prefix": ["plan-1", "plan-2"], "unique prefix": ["plan"], none: ["p"] }[
      input.load ?? "none"
    ];
    for (const task_id of ids) await plans.save(TaskData.parse({ task_id }));
    for (const file of input.files ?? []) await writeFile(join(folder, file), "{}");
    if (input.load !== undefined) {
      // The beginning of an id is for people: what loads and deletes takes whole ids.
      const found = await plans.find(input.load === "unique prefix" ? "p" : "plan-");
      return { found: found.length === 1 && (await plans.load(found[0]?.id ?? "")) !== undefined };
    }
    if (input.list === true) return { ids: (await plans.list()).map(({ id }) => id) };
    const before = await readdir(folder);
    await plans.delete(input.delete ?? "");
    const after = await readdir(folder);
    return { removes: before.filter((name) => !after.includes(name)), leaves: after };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};
export default adapter;
