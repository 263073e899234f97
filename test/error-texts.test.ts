import { expect, test } from "vitest";
import { errorTexts } from "./support/error-texts.ts";
import { repository } from "./support/run-cli.ts";

// Users see these texts first. Words that read as riddles are in docs/glossary.md, with what to say in their place.

const riddles =
  /\bthere is none of\b|\b(?<!there )(?:is|are) no (?:JSON|task|tool|plan|option|error|reply|record|grouping|part|parameter|identifier|property|number|text|folder|JSONata|SQLite)|\bis no option\b|\bwhich is none\b|\btext that is none\b|\bstands?\b|\bstood\b|\btold\b|\bwhoever\b|\banew\b|\bdesk\b|\boffice\b|\bseeds? 00\d/i;

test("error texts are plain sentences", () => {
  const texts = errorTexts(repository);
  expect(texts.length).toBeGreaterThan(800);
  expect(texts.filter(({ text }) => riddles.test(text))).toEqual([]);
});
