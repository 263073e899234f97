/**
 * What is published: one JavaScript file an entry of each package (and the parts its entries share), so that an installed
 * package starts without reading hundreds of modules. Declarations come from `tsc -b`, which runs next. Everything outside the
 * package stays an import, so every class exists once however a user combines packages.
 */
import { readdir, readFile, rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { build } from "rolldown";

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly publishConfig: { readonly exports: Readonly<Record<string, string | { readonly default: string }>> };
}

/** Source file of each published entry, by its path in `dist` without the extension. */
async function entriesOf(folder: string): Promise<Record<string, string>> {
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

const packages = join(import.meta.dirname, "packages");
for (const name of await readdir(packages)) {
  const folder = join(packages, name);
  await rm(join(folder, "dist"), { recursive: true, force: true });
  await rm(join(folder, "tsconfig.tsbuildinfo"), { force: true });
  await build({
    input: await entriesOf(folder),
    platform: "node",
    // Node.js 22, the oldest that the packages allow, knows no `using` declarations.
    transform: { target: "es2024" },
    // Helpers for newer syntax are part of the bundler.
    external: (id) => !id.startsWith(".") && !isAbsolute(id) && !id.startsWith("@oxc-project/runtime/"),
    output: {
      dir: join(folder, "dist"),
      sourcemap: true,
      entryFileNames: "[name].js",
      chunkFileNames: "shared/[name]-[hash].js",
    },
  });
}
