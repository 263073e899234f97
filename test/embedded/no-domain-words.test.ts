import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freightQueries } from "../support/renamed-domains.ts";

const source = join(import.meta.dirname, "../../packages/embedded/src");

/** General English, which the planner may know. */
const general = new Set(
  `get from last week show me that were in and their today's then check for the to of by new with create run analyse details
  a an near which are high have custom analytics transported mixed`.split(/\s+/),
);

test("no word of the documented queries stands in the planner", () => {
  const words = new Set(
    [
      ...Object.values(freightQueries),
      "Which carriers have the highest contamination rates?",
      "Which facilities are near capacity?",
    ]
      .flatMap((query) => query.toLowerCase().match(/[a-z']+/g) ?? [])
      // Units and legal forms of firms are no words of a trade.
      .filter((word) => !general.has(word) && !/^(?:highest|rates|kg|gmbh)$/.test(word)),
  );
  expect(words.size).toBeGreaterThan(12);
  const text = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(source, file), "utf8").toLowerCase())
    .join("\n");
  const found = [...words].filter((word) =>
    new RegExp(`\\b${word.replace(/(?:ies|s)$/, "")}(?:s|ies|y)?\\b`).test(text),
  );
  expect(found).toEqual([]);
});
