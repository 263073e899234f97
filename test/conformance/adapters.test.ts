import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL("./adapters/", import.meta.url));
const adapters = readdirSync(folder).map((name) => ({ name, text: readFileSync(`${folder}${name}`, "utf8") }));

describe.each(adapters)("$name", ({ name, text }) => {
  test("imports public packages only", () => {
    const imported = [...text.matchAll(/(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g)].map(
      ([, module]) => module!,
    );
    for (const module of imported) {
      expect(module).toMatch(/^(planloom|@planloom\/[a-z]+)(\/[a-z-]+)?$|^node:/);
      if (module.startsWith("node:")) expect(builtinModules).toContain(module.slice("node:".length));
    }
  });

  test("has at most 40 lines of at most 120 characters", () => {
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(40);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  });

  test("is named for a feature and knows no case", () => {
    expect(name).toMatch(/^(\d{3}\.)?[a-z0-9]+(\.[a-z0-9]+)*\.ts$/i);
    expect(text).not.toMatch(/\b\d{3}-[a-z0-9.]+-\d+\b/i);
  });

  test("parses and evaluates nothing by itself", () => {
    expect(text).not.toMatch(/\beval\(|new Function|RegExp|\.match(All)?\(|\.split\(|\.replace(All)?\(/);
  });
});
