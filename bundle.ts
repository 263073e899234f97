/**
 * What is published: one JavaScript file an entry of each package (and the parts its entries share), so that an installed
 * package starts without reading hundreds of modules. Declarations come from `tsc -b`, which runs next. Everything outside the
 * package stays an import, so every class exists once however a user combines packages; but for the libraries of
 * `lazy/libraries`, which are loaded at the first call: each of them becomes one file of CommonJS with its licence (docs/decisions/2026-11-22-bundling.md).
 */
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { bundleLibraries, bundlePackage } from "./bundle-package.ts";

// The documentation travels in the package that users install.
const docs = join(import.meta.dirname, "packages/planloom/docs");
await rm(docs, { recursive: true, force: true });
await cp(join(import.meta.dirname, "docs"), docs, { recursive: true });

// The page is a text in a module of its own, so that bundles of users' programs have it, too.
const { builtPage } = await import("./packages/page/build-page.ts");
const page = `export const readTemplate = async () => ${JSON.stringify(await builtPage())};`;

const packages = join(import.meta.dirname, "packages");
for (const name of await readdir(packages)) {
  const folder = join(packages, name);
  await rm(join(folder, "dist"), { recursive: true, force: true });
  await rm(join(folder, "tsconfig.tsbuildinfo"), { force: true });
  await bundlePackage(folder, join(folder, "dist"), {
    replaced: name === "page" ? { "src/page-template.ts": page } : {},
  });
  await bundleLibraries(folder, join(folder, "dist/libraries"));
}
