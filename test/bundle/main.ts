/**
 * Bundles `program.ts` against the installed packages into one file, four ways, and runs each in a folder that holds that file
 * alone. `node main.ts FOLDER`: FOLDER has a `node_modules` with planloom and esbuild in it. Exits non-zero at the first failure.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build as rolldown } from "rolldown";

/** What is used of esbuild, which is installed for this script alone. */
interface Esbuild {
  build(
    options: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly warnings: readonly { readonly text: string }[] }>;
}

const installed = resolve(process.argv[2] ?? ".");
const esbuild = createRequire(join(installed, "package.json"))("esbuild") as Esbuild;
const input = join(installed, "bundled-program.ts");
await cp(join(import.meta.dirname, "program.ts"), input);
const shared = { entryPoints: [input], bundle: true, platform: "node", target: "node22", logLevel: "error" };

/** Each writes one file and returns what the bundler warned of. */
const ways: readonly [name: string, file: string, build: (outfile: string) => Promise<readonly string[]>][] = [
  ["esbuild, one file of ESM", "program.mjs", (outfile) => withEsbuild(outfile, "esm")],
  ["esbuild, one file of CommonJS", "program.cjs", (outfile) => withEsbuild(outfile, "cjs")],
  ["rolldown, one file of ESM", "program.mjs", (outfile) => withRolldown(outfile, "esm")],
  ["rolldown, one file of CommonJS", "program.cjs", (outfile) => withRolldown(outfile, "cjs")],
];

async function withEsbuild(outfile: string, format: "esm" | "cjs"): Promise<readonly string[]> {
  const { warnings } = await esbuild.build({ ...shared, outfile, format });
  return warnings.map(({ text }) => text);
}

async function withRolldown(outfile: string, format: "esm" | "cjs"): Promise<readonly string[]> {
  const warnings: string[] = [];
  await rolldown({
    input,
    platform: "node",
    onLog: (_level, log) => warnings.push(log.message),
    output: { file: outfile, format, codeSplitting: false },
  });
  return warnings;
}

const work = await realpath(await mkdtemp(join(tmpdir(), "planloom-bundle-")));
try {
  for (const [index, [name, file, build]] of ways.entries()) {
    const folder = join(work, String(index));
    await mkdir(folder);
    const outfile = join(folder, file);
    const warnings = await build(outfile);
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], {
      cwd: folder,
      env: {},
      timeout: 60_000,
    });
    if (!stdout.includes("dispatched"))
      throw new Error(`${name}: expected it to say that it dispatched, got ${stdout}`);
    const kilobytes = Math.round((await stat(outfile)).size / 1024);
    process.stdout.write(
      `${name}, ${kilobytes} kB: ${stdout.trim()}${warnings.map((text) => `\n  ${text}`).join("")}\n`,
    );
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
