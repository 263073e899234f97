import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";
import { bundleLibraries, bundlePackage, entriesOf } from "../../bundle-package.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const packages = join(repository, "packages");
/** Bundles of sources that have changed since are kept for so long, since another test run may use them. */
const keptMs = 24 * 60 * 60 * 1000;

/**
 * Processes that tests start load each package as one file, as an installed package does, and not as hundreds of sources: they start in
 * a third of the time. The files are bundled from the sources as they are now, by what bundles the published packages, and kept until a
 * source changes. A module hook in `NODE_OPTIONS` gives a bundled entry where a process asks for its source, and one file where it asks for
 * zod, which is a hundred.
 */
export async function setup(): Promise<void> {
  const all = join(repository, "node_modules/.cache/planloom-tests");
  const folder = join(all, fingerprint());
  if (!existsSync(folder)) {
    mkdirSync(all, { recursive: true });
    removeOld(all);
    await bundleAll(mkdtempSync(join(all, "making-")), folder);
  }
  process.env.PLANLOOM_TEST_HOOK = join(folder, "hook.mjs");
}

/** Changes with every file that a bundle is made of or by. */
function fingerprint(): string {
  const hash = createHash("sha256").update(process.version);
  const made = ["bundle-package.ts", "pnpm-lock.yaml", "test/support/bundled-packages.ts"];
  const files = globSync(["packages/*/package.json", "packages/*/src/**/*"], { cwd: repository, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of [...made.map((path) => join(repository, path)), ...files.sort()]) {
    hash.update(file).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

function removeOld(all: string): void {
  for (const path of globSync(join(all, "*"))) {
    if (Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
}

async function bundleAll(draft: string, folder: string): Promise<void> {
  const names = await readdir(packages);
  /** The bundled file of each source that is an entry, as URLs. */
  const bundled: [string, string][] = await bundleZod(draft, folder);
  /** Where imports of a bundled package are resolved from: its own sources. */
  const origins: [string, string][] = [];
  for (const name of names) {
    await bundlePackage(join(packages, name), join(draft, name), { sourcemap: false });
    const urlOf = (path: string) => pathToFileURL(join(folder, name, path)).href;
    for (const [entry, source] of Object.entries(await entriesOf(join(packages, name)))) {
      bundled.push([pathToFileURL(source).href, urlOf(`${entry}.js`)]);
    }
    await bundleLibraries(join(packages, name), join(draft, name, "libraries"));
    for (const file of globSync("*.cjs", { cwd: join(draft, name, "libraries") }))
      bundled.push([pathToFileURL(join(packages, name, "lazy/libraries", file)).href, urlOf(`libraries/${file}`)]);
    origins.push([urlOf("/"), pathToFileURL(join(packages, name, "src/index.ts")).href]);
  }
  await writeFile(join(draft, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(draft, "hook.mjs"), hook(bundled, origins));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another test run of the same sources was quicker.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Writes zod as one file an entry, with what the entries share, so that each of its classes exists once.
 * @returns the bundled file of each entry, as URLs
 */
async function bundleZod(draft: string, folder: string): Promise<[string, string][]> {
  const resolve = createRequire(join(packages, "plan/src/index.ts")).resolve;
  const library = dirname(resolve("zod/package.json"));
  const entries = { index: "index.js", v4: "v4/index.js", core: "v4/core/index.js", mini: "v4/mini/index.js" };
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(library, file)]));
  await build({
    input,
    platform: "node",
    output: { dir: join(draft, "zod"), entryFileNames: "[name].js", chunkFileNames: "shared-[hash].js" },
  });
  const urls = Object.entries(input).map(([name, file]) => [file, join(folder, "zod", `${name}.js`)] as const);
  return urls.map(([from, to]) => [pathToFileURL(from).href, pathToFileURL(to).href]);
}

const hook = (bundled: readonly [string, string][], origins: readonly [string, string][]) => `
import { registerHooks } from "node:module";

const bundled = new Map(${JSON.stringify(bundled)});
const origins = ${JSON.stringify(origins)};

registerHooks({
  resolve(specifier, context, next) {
    const origin = specifier.startsWith(".") ? undefined : origins.find(([url]) => context.parentURL?.startsWith(url));
    const resolved = next(specifier, origin === undefined ? context : { ...context, parentURL: origin[1] });
    const url = bundled.get(resolved.url);
    return url === undefined ? resolved : { ...resolved, url, format: url.endsWith(".cjs") ? "commonjs" : "module" };
  },
});
`;
