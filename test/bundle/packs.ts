// Judges packed packages as those who install them see them: `node test/bundle/packs.ts TOOLS PACKS`, with publint and
// @arethetypeswrong/cli in TOOLS/node_modules, and the tarballs in the folder PACKS. Exit code 1 where one of them finds fault.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

interface Message {
  readonly code: string;
  readonly path: readonly string[];
}

interface Publint {
  publint(options: { pack: { tarball: ArrayBuffer }; strict: boolean }): Promise<{ messages: Message[]; pkg: object }>;
  formatMessage(message: Message, pkg: object): string | undefined;
}

const [tools, packs] = process.argv.slice(2).map((path) => resolve(path));
if (tools === undefined || packs === undefined) throw new Error("Expected two folders: TOOLS and PACKS.");
const modules = join(tools, "node_modules");
const lint = async (): Promise<{ publint: Publint["publint"]; format: Publint["formatMessage"] }> => {
  const load = (file: string) => import(pathToFileURL(join(modules, "publint/src", file)).href) as Promise<Publint>;
  const [{ publint }, { formatMessage }] = await Promise.all([load("index-node.js"), load("utils.js")]);
  return { publint, format: formatMessage };
};

/** Libraries that a package carries within and loads by `require` alone: how they would meet an `import` is nobody's concern. */
const isOwnLibrary = ({ code, path }: Message) =>
  code === "CJS_WITH_ESMODULE_DEFAULT_EXPORT" && path[0] === "imports" && path[1] === "#library/*";

const { publint, format } = await lint();
const tarballs = readdirSync(packs).filter((name) => name.endsWith(".tgz"));
for (const name of tarballs) {
  const file = join(packs, name);
  const bytes = readFileSync(file);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  const faults = messages.filter((message) => !isOwnLibrary(message));
  for (const fault of faults) process.stdout.write(`${name}: publint: ${format(fault, pkg) ?? fault.code}\n`);
  // Node.js 22 loads modules by `require`, so that a package of them alone is no fault; node10 knows no `exports`.
  const rules = ["--profile", "node16", "--ignore-rules", "cjs-resolves-to-esm", "--format", "ascii", "--no-color"];
  const types = spawnSync(process.execPath, [join(modules, ".bin/attw"), file, ...rules], { encoding: "utf8" });
  if (types.status !== 0) process.stdout.write(`${name}: attw: ${types.stdout}${types.stderr}\n`);
  if (faults.length > 0 || types.status !== 0) process.exitCode = 1;
}
if (tarballs.length === 0) throw new Error(`There are no tarballs in ${packs}.`);
if (process.exitCode === undefined)
  process.stdout.write(`publint and attw find no fault in ${tarballs.length} packages.\n`);
