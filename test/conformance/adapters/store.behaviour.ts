import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dialects, folderPlans, TaskData } from "planloom";

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
    const ids = input.load === "ambiguous prefix" ? ["plan-1", "plan-2"] : ["p"];
    for (const task_id of ids) await plans.save(TaskData.parse({ task_id }));
    for (const file of input.files ?? []) await writeFile(join(folder, file), "{}");
    if (input.load !== undefined) {
      const answer = { found: true };
      return await plans.load(input.load === "unique prefix" ? "p" : "plan-").then(
        () => answer,
        () => ({ found: false }),
      );
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
