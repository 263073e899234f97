/**
 * Bundles `program.ts` and `server-program.ts` against the installed packages into one file each, four ways, and runs each in a folder that holds
 * that file alone. `node main.ts FOLDER`: FOLDER has a `node_modules` with planloom and esbuild in it. Exits non-zero at the first failure.
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
const shared = { bundle: true, platform: "node", target: "node22", logLevel: "error" };

/** Programs, each with what it says when all went well, and what esbuild is told in addition, as docs/bundling.md says. */
const programs = [
  { source: "program.ts", says: "dispatched", options: {} },
  {
    source: "server-program.ts",
    says: "showed the page",
    options: {
      ignoreAnnotations: true,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    },
  },
] as const;

interface Way {
  readonly name: string;
  readonly file: string;
  /** Writes one file and returns what the bundler warned of. */
  build(input: string, outfile: string, options: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
}

const ways: readonly Way[] = [
  {
    name: "esbuild, one file of ESM",
    file: "program.mjs",
    build: (input, outfile, options) => withEsbuild({ ...options, entryPoints: [input], outfile, format: "esm" }),
  },
  {
    name: "esbuild, one file of CommonJS",
    file: "program.cjs",
    // What is at the head of a module is for a file of ESM.
    build: (input, outfile, { banner: _, ...options }) =>
      withEsbuild({ ...options, entryPoints: [input], outfile, format: "cjs" }),
  },
  {
    name: "rolldown, one file of ESM",
    file: "program.mjs",
    build: (input, outfile) => withRolldown(input, outfile, "esm"),
  },
  {
    name: "rolldown, one file of CommonJS",
    file: "program.cjs",
    build: (input, outfile) => withRolldown(input, outfile, "cjs"),
  },
];

async function withEsbuild(options: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { warnings } = await esbuild.build({ ...shared, ...options });
  return warnings.map(({ text }) => text);
}

async function withRolldown(input: string, outfile: string, format: "esm" | "cjs"): Promise<readonly string[]> {
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
  for (const { source, says, options } of programs) {
    const input = join(installed, `bundled-${source}`);
    await cp(join(import.meta.dirname, source), input);
    for (const [index, { name, file, build }] of ways.entries()) {
      const folder = join(work, source, String(index));
      await mkdir(folder, { recursive: true });
      const outfile = join(folder, file);
      const warnings = await build(input, outfile, options);
      const { stdout } = await promisify(execFile)(process.execPath, [outfile], {
        cwd: folder,
        env: {},
        timeout: 60_000,
      });
      if (!stdout.includes(says))
        throw new Error(`${source}, ${name}: expected it to say "${says}", got ${JSON.stringify(stdout)}`);
      const kilobytes = Math.round((await stat(outfile)).size / 1024);
      process.stdout.write(
        `${source}, ${name}, ${kilobytes} kB: ${stdout.trim()}${warnings.map((text) => `\n  ${text}`).join("")}\n`,
      );
    }
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
