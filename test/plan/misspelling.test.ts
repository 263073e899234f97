import { expect, test } from "vitest";
import { isMisspelling } from "../../packages/plan/src/validation/misspelling.ts";

test.for([
  ["stauts", "status"],
  ["statuss", "status"],
  ["pages", "page"],
  ["facilityId", "facility_id"],
  ["facilty_id", "facility_id"],
  ["lcoaton_name", "location_name"],
  ["Form", "from"],
] as const)("%s is %s with a slip", ([given, known]) => {
  expect(isMisspelling(given, known)).toBe(true);
  expect(isMisspelling(known, given)).toBe(true);
});

test.for([
  ["status", "status"],
  ["id", "facility_id"],
  ["city", "cities"],
  ["date_from", "date_to"],
  ["item2", "item1"],
  ["to", "no"],
  ["min", "max"],
  ["x", "y"],
  ["a".repeat(65), `${"a".repeat(64)}b`],
] as const)("%s is another name than %s", ([given, known]) => {
  expect(isMisspelling(given, known)).toBe(false);
});
