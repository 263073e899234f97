/**
 * What is published: one JavaScript file an entry of each package (and the parts its entries share), so that an installed
 * package starts without reading hundreds of modules. Declarations come from `tsc -b`, which runs next. Everything outside the
 * package stays an import, so every class exists once however a user combines packages; but for the libraries of
 * `lazy/libraries`, which are loaded at the first call: each of them becomes one file of CommonJS with its licence (docs/decisions/2026-11-22-bundling.md).
 */
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "rolldown";
import { bundlePackage } from "./bundle-package.ts";

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

/** The libraries that the package loads at the first call: a file each. */
async function bundleLibraries(folder: string): Promise<void> {
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
      output: { file: join(folder, "dist/libraries", file), format: "cjs", codeSplitting: false },
    });
  }
}

// The documentation travels in the package that users install.
const docs = join(import.meta.dirname, "packages/planloom/docs");
await rm(docs, { recursive: true, force: true });
await cp(join(import.meta.dirname, "docs"), docs, { recursive: true });

const packages = join(import.meta.dirname, "packages");
for (const name of await readdir(packages)) {
  const folder = join(packages, name);
  await rm(join(folder, "dist"), { recursive: true, force: true });
  await rm(join(folder, "tsconfig.tsbuildinfo"), { force: true });
  await bundlePackage(folder, join(folder, "dist"));
  await bundleLibraries(folder);
}

const { builtPage } = await import("./packages/page/build-page.ts");
await writeFile(join(packages, "page/dist/page.html"), await builtPage());
