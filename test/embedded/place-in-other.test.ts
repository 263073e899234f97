import { expect, test } from "vitest";
import { placeInOther } from "../../packages/embedded/src/language/text/place-in-other.ts";

test.for<[name: string, part: string, rewritten: string, nth: number, written: string, place: number | undefined]>([
  ["the only place", "T-7", "fell T-7", 5, "T-7 should be felled", 0],
  ["by what is beside it", "7", "close ticket 7", 13, "7. close ticket 7", 16],
  ["by its number among equal ones", "9", "a 9 b 9", 6, "x 9 y 9", 6],
  ["none, where there are more", "9", "9", 0, "9 9", undefined],
  ["none, where it is not written so", "fell", "fell T-7", 0, "Fell T-7", undefined],
  ["none for nothing", "", "a", 0, "a", undefined],
])("%s", ([, part, rewritten, start, written, place]) => {
  expect(placeInOther(part, start, rewritten, written)).toBe(place);
});
