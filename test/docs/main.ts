// Compiles every TypeScript snippet of the documentation as a program of its own: `pnpm typecheck` does it. What a snippet
// neither declares nor imports must be in `given.ts`, where the things stand that pages speak of without making them. A snippet that
// stands word for word in an example is compiled there.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { snippetsOf } from "./snippets.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(import.meta.dirname, ".snippets");

const readmes = ["packages", "examples"].flatMap((part) =>
  readdirSync(join(repository, part)).map((name) => join(part, name, "README.md")),
);
const docs = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" }).map((name) =>
  join("docs", name),
);
const pages = ["README.md", ...docs, ...readmes].filter((name) => name.endsWith(".md"));

const examples = readdirSync(join(repository, "examples"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
  .map((name) => readFileSync(join(repository, "examples", name), "utf8"));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
let count = 0;
for (const page of pages) {
  let text: string;
  try {
    text = readFileSync(join(repository, page), "utf8");
  } catch {
    continue; // A package without a README.
  }
  for (const { line, code } of snippetsOf(text)) {
    count++;
    if (examples.some((example) => example.includes(code.trim()))) continue;
    // On the same line as in the page, so that the compiler's messages name it.
    const padded = `${"\n".repeat(line - 1)}${code}\nexport {};\n`;
    writeFileSync(join(folder, `${page.replaceAll(/[/\\]/g, "--")}.${line}.ts`), padded);
  }
}
const tsc = join(repository, "node_modules/.bin/tsc");
// Sources that have not changed since the last time are not checked again: of a second run that is nearly all.
const cache = join(repository, "node_modules/.cache/snippets.tsbuildinfo");
const project = ["-p", join(import.meta.dirname, "tsconfig.json"), "--incremental", "--tsBuildInfoFile", cache];
const { status, stdout } = spawnSync(tsc, [...project, "--pretty", "false"], { cwd: folder, encoding: "utf8" });
process.stdout.write(
  stdout.replaceAll(/^(\S+?\.md)\.\d+\.ts\(/gm, (_, page: string) => `${page.replaceAll("--", "/")}(`),
);
if (status === 0) process.stdout.write(`${count} snippets of the documentation compile.\n`);
process.exitCode = status === 0 && count > 0 ? 0 : 1;
