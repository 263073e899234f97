import { access, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { repository, runCliHere } from "./support/run-cli.ts";

const read = (name: string) => readFile(join(repository, name), "utf8");

test("the README's library example is the program that a test runs", async () => {
  const [readme, main] = [await read("README.md"), await read("examples/quickstart/main.ts")];
  const [, example = ""] = /\/\/ #region readme\n([\s\S]*?)\n\/\/ #endregion/.exec(main) ?? [];
  expect(example.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(12);
  expect(readme).toContain(`\`\`\`ts\n${example}\n\`\`\``);
});

test("the README's list of commands is that of the program", async () => {
  const { stdout } = await runCliHere(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}([a-z0-9-]+) (?:\[options\] )?.* {2,}/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "help");
  const [, listed = ""] = /^`([a-z0-9 -]+)`, each with `--json`/m.exec(await read("README.md")) ?? [];
  expect(listed.split(" ").sort()).toEqual(commands.sort());
});

test("what is shipped with the packages links to nothing outside of them", async () => {
  const packages = await readdir(join(repository, "packages"));
  const docs = (await readdir(join(repository, "docs"), { recursive: true })).filter((file) => file.endsWith(".md"));
  const shipped = [
    ...packages.map((name) => ({ folder: `packages/${name}`, file: `packages/${name}/README.md` })),
    ...docs.map((file) => ({ folder: "docs", file: `docs/${file}` })),
  ];
  const dead: string[] = [];
  for (const { folder, file } of shipped) {
    for (const [, link = ""] of (await read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:https?:|#)/.test(link)) continue;
      const target = join(repository, file, "..", link.replace(/#.*/, ""));
      const there = await access(target).then(
        () => true,
        () => false,
      );
      if (!there || relative(join(repository, folder), target).startsWith("..")) dead.push(`${file}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
});

test("other systems are called by their names in all that users read", async () => {
  const folders = ["docs", ...(await readdir(join(repository, "packages"))).map((name) => `packages/${name}/src`)];
  const numbered: string[] = [];
  for (const folder of folders) {
    for (const file of await readdir(join(repository, folder), { recursive: true })) {
      if (!/\.(?:ts|md)$/.test(file)) continue;
      if (/\bseeds? 00\d/i.test(await read(`${folder}/${file}`))) numbered.push(`${folder}/${file}`);
    }
  }
  expect(numbered).toEqual([]);
});

test.for(["docs/runtime.md", "docs/streaming.md"])("the tests that %s names as its proofs are there", async (page) => {
  const text = await read(page);
  const [, folder = "test/runtime/"] = /in\s+`(test\/[a-z]+\/)`/.exec(text) ?? [];
  const rows = text.split("\n").filter((line) => /^\|.*`[^`]+\.ts` *\|$/.test(line));
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) {
    const cell = row.split("|").at(-2) ?? "";
    for (const [, name = ""] of cell.matchAll(/`([^`]+\.ts)`/g)) await access(join(repository, folder, name));
  }
});
