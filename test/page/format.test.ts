import { expect, test } from "vitest";
import { duration } from "../../packages/page/app/format.ts";

test.each([
  [0, "0 ms"],
  [0.3, "<1 ms"],
  [850, "850 ms"],
  [4_200, "4.20 s"],
  [59_000, "59.0 s"],
  [119_700, "2 min 00 s"],
  [185_000, "3 min 05 s"],
  [3_599_800, "1 h 00 min"],
  [Number.NaN, "–"],
])("%d ms are shown as %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});
