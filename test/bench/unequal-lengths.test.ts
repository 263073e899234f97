import { expect, test } from "vitest";
import { unequalLengths } from "./unequal-lengths.ts";

test("with 8 at once tasks of unequal length take at most 3 % more than the bound where their durations are known, and little more where roughly", () => {
  const [none, rough, right] = unequalLengths();
  expect(right!.ratio).toBeLessThanOrEqual(1.03);
  expect(rough!.ratio).toBeLessThanOrEqual(1.03);
  expect(none!.ratio).toBeGreaterThan(rough!.ratio);
});
