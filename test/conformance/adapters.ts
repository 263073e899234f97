import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./adapters/", import.meta.url));

/** Finds the adapter of a feature, as a function that loads it: `001.plan.execute.ts` before `plan.execute.ts`. */
export async function adapterFinder(): Promise<
  (seed: string, feature: string) => (() => Promise<ConformanceAdapter>) | undefined
> {
  const files = new Set(await readdir(folder));
  return (seed, feature) => {
    const file = [`${seed}.${feature}.ts`, `${feature}.ts`].find((name) => files.has(name));
    if (file === undefined) return undefined;
    return async () =>
      ((await import(/* @vite-ignore */ `./adapters/${file}`)) as { default: ConformanceAdapter }).default;
  };
}
