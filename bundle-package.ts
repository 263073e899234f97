import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { build } from "rolldown";

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly publishConfig: { readonly exports: Readonly<Record<string, string | { readonly default: string }>> };
}

/** The source file of each published entry of the package in `folder`, by its path in `dist` without the extension. */
export async function entriesOf(folder: string): Promise<Record<string, string>> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  const entries: Record<string, string> = {};
  for (const [name, published] of Object.entries(manifest.publishConfig.exports)) {
    if (typeof published === "string") continue;
    const built = published.default.replace(/^\.\/dist\//, "").replace(/\.js$/, "");
    entries[built] = join(folder, manifest.exports[name] ?? "");
  }
  if (manifest.bin !== undefined) entries.main = join(folder, "src/main.ts");
  return entries;
}

/** Writes one JavaScript file for each entry of the package in `folder`, and the parts that entries share, into `dist`. */
export async function bundlePackage(folder: string, dist: string, { sourcemap = true } = {}): Promise<void> {
  await build({
    input: await entriesOf(folder),
    platform: "node",
    // Node.js 22, the oldest that the packages allow, knows no `using` declarations.
    transform: { target: "es2024" },
    // Helpers for newer syntax are part of the bundler.
    external: (id) => !id.startsWith(".") && !isAbsolute(id) && !id.startsWith("@oxc-project/runtime/"),
    output: { dir: dist, sourcemap, entryFileNames: "[name].js", chunkFileNames: "shared/[name]-[hash].js" },
  });
}
