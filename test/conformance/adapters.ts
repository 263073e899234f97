import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./adapters/", import.meta.url));

/** Finds the adapter of a feature: `adapters/001.plan.execute.ts` before `adapters/plan.execute.ts`. Loads each once. */
export async function adapterFinder(): Promise<
  (seed: string, feature: string) => Promise<ConformanceAdapter | undefined>
> {
  const files = new Set(await readdir(folder));
  const loaded = new Map<string, Promise<ConformanceAdapter>>();
  return async (seed, feature) => {
    const file = [`${seed}.${feature}.ts`, `${feature}.ts`].find((name) => files.has(name));
    if (file === undefined) return undefined;
    let adapter = loaded.get(file);
    if (adapter === undefined) {
      adapter = import(`./adapters/${file}`).then((module: { default: ConformanceAdapter }) => module.default);
      loaded.set(file, adapter);
    }
    return adapter;
  };
}
