import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives `use` a folder as mcp-cli keeps it, with plans (`<id>.json`) and states of runs (`<id>_state.json`), and removes it after. */
export async function withPlanFiles<Value>(
  files: readonly string[],
  use: (folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "planloom-case-"));
  try {
    for (const file of files) await writeFile(join(folder, file), JSON.stringify(contentOf(file)));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function contentOf(file: string) {
  const [, id = "", state] = /^(.*?)(_state)?\.json$/.exec(file) ?? [];
  if (state !== undefined) return { plan_id: id, status: "failed", completed_steps: [], variables: {} };
  return { id, title: id, steps: [{ index: "1", title: "A", tool: "a", args: {}, depends_on: [] }] };
}
