import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { statusOf } from "../../packages/server/src/http/error-status.ts";
import { codesIn, documentedCodes, errorsPage } from "./errors.ts";

const all = documentedCodes().flatMap(({ codes }) => codes);

test("docs/errors.md is what the tables of codes say; `node test/docs/errors.ts` writes it", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  expect(page).toBe(errorsPage(statusOf));
});

test("each code says what happened and, after `Cure:`, what to do", () => {
  expect(all.length).toBeGreaterThan(180);
  expect(all.filter(({ cause, cure }) => cause.length < 10 || cure.length < 10).map(({ code }) => code)).toEqual([]);
  expect(new Set(all.map(({ code }) => code)).size).toBe(all.length);
});

test("each code that has a status of HTTP is one that there is", () => {
  const codes = new Set(all.map(({ code }) => code));
  const files = ["planloom/src/caller-error.ts", "server/src/http/error-status.ts"];
  const file = files.map((name) => readFileSync(new URL(`../../packages/${name}`, import.meta.url), "utf8")).join("\n");
  const named = Array.from(file.matchAll(/["\s]([A-Z]+_[A-Z_]+)(?:"|: \d)/g), ([, code]) => code!);
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((code) => !codes.has(code))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});

test("a code without a comment is found", () => {
  const source =
    'export const XErrorCode = {\n  /** It broke. Cure: Mend it. */\n  A: "X_A",\n  B: "X_B",\n} as const;\n';
  expect(codesIn(source)).toEqual([
    { code: "X_A", cause: "It broke.", cure: "Mend it." },
    { code: "X_B", cause: "", cure: "" },
  ]);
});
