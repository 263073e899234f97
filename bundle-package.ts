import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { build, type Plugin } from "rolldown";

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

interface BundleOptions {
  readonly sourcemap?: boolean;
  /** Code in the place of modules, by their path in the package. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Writes one JavaScript file for each entry of the package in `folder`, and the parts that entries share, into `dist`. */
export async function bundlePackage(
  folder: string,
  dist: string,
  { sourcemap = true, replaced = {} }: BundleOptions = {},
): Promise<void> {
  const codes = new Map(Object.entries(replaced).map(([path, code]) => [join(folder, path), code]));
  await build({
    plugins: [{ name: "replaced", load: (id) => codes.get(id) }],
    input: await entriesOf(folder),
    platform: "node",
    // Node.js 22, the oldest that the packages allow, knows no `using` declarations.
    transform: { target: "es2024" },
    // Helpers for newer syntax are part of the bundler.
    external: (id) => !id.startsWith(".") && !isAbsolute(id) && !id.startsWith("@oxc-project/runtime/"),
    output: { dir: dist, sourcemap, entryFileNames: "[name].js", chunkFileNames: "shared/[name]-[hash].js" },
  });
}

/** Writes the licences of all that was put into a file at its head. @throws where a library has none */
const withLicences: Plugin = {
  name: "licences",
  async generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      if (chunk.imports.length > 0) throw new Error(`${chunk.fileName} still imports ${chunk.imports.join(", ")}.`);
      const folders = new Set(chunk.moduleIds.flatMap((id) => packageFolder(id)));
      const texts = [...folders].sort().map((folder) => licenceOf(folder));
      chunk.code = `/*!\n${(await Promise.all(texts)).join("\n\n").replaceAll("*/", "* /")}\n*/\n${chunk.code}`;
    }
  },
};

/** The folder of the library that a module is from; none for our own. */
function packageFolder(file: string): string[] {
  const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder === undefined ? [] : [folder];
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence.`);
  return `${name} ${version}\n\n${(await readFile(join(folder, file), "utf8")).trim()}`;
}

/** Writes the libraries that the package in `folder` loads at the first call into `to`, a file each. */
export async function bundleLibraries(folder: string, to: string): Promise<void> {
  const libraries = join(folder, "lazy/libraries");
  if (!existsSync(libraries)) return;
  for (const file of await readdir(libraries)) {
    await build({
      input: join(libraries, file),
      // Not Node's own variant: that of yaml is 70 files which ask for built-in modules by a `require` that a bundle of ESM lacks.
      platform: "neutral",
      resolve: { mainFields: ["main"] },
      transform: { target: "es2024" },
      plugins: [withLicences],
      output: { file: join(to, file), format: "cjs", codeSplitting: false },
    });
  }
}
