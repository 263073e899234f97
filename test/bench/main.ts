/**
 * `node main.ts SCRIPT [WORDS…]`: runs a script of this folder, as `pnpm bench:…` does. `--help` prints the comment that the script begins with, which has its
 * options; an option that it does not know ends it with one line and exit code 2.
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const [, own = "", name = "", ...words] = process.argv;

/** The comment that a source begins with, or has after its imports, without its marks. */
function firstComment(source: string): string {
  const [comment = ""] = /^\/\*\*[\s\S]*?\*\/|^(?:\/\/.*\n)+/m.exec(source) ?? [];
  const mark = /^(?:\/\*\*| ?\*\/| ?\*|\/\/) ?| *\*\/$/g;
  return comment
    .split("\n")
    .map((line) => line.replace(mark, ""))
    .join("\n")
    .trim();
}

const isHelp = (word: string) => word === "--help" || word === "-h";
const file = name === "" || isHelp(name) ? resolve(own) : join(import.meta.dirname, `${name}.ts`);
if (file === resolve(own) || words.some(isHelp)) {
  process.stdout.write(`${firstComment(await readFile(file, "utf8"))}\n`);
} else {
  // A script reads its words where it would find them if it had been started by itself.
  process.argv.splice(1, 2, file);
  try {
    await import(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"))) throw error;
    process.stderr.write(`${error.message}\nIts options: --help\n`);
    process.exitCode = 2;
  }
}
