import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { snippetsOf } from "../docs/snippets.ts";
import { repository } from "../support/run-cli.ts";

const page = readFileSync(join(repository, "docs/moving-over.md"), "utf8");
const programs = snippetsOf(page).map(({ code, line }) => ({ code, line, section: sectionOf(line) }));

function sectionOf(line: number): string {
  const above = page.split("\n").slice(0, line);
  return above.findLast((text) => text.startsWith("## "))?.slice(3) ?? "";
}

test("each system has a program of its own", () => {
  const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(programs.map(({ section }) => section)).toEqual(sections);
});

test.for(programs)("$section: the program says what its comments say", { timeout: 60_000 }, ({ code }) => {
  // Below this folder, so that the packages are found.
  const folder = mkdtempSync(join(import.meta.dirname, ".snippet-"));
  try {
    writeFileSync(join(folder, "main.ts"), code);
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "main.ts")], { encoding: "utf8" });
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(promised.length, stderr).toBeGreaterThan(0);
    let at = 0;
    for (const text of promised) {
      const found = stdout.indexOf(`${text}\n`, at);
      expect(found, `${text} in ${stdout}${stderr}`).toBeGreaterThanOrEqual(0);
      at = found + text!.length;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
