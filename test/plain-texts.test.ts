import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { comments } from "./support/comments.ts";
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

// A comment is read by whoever changes the code next. "There is no …" is plain; "it is no …" is not.
const riddlesOfComments =
  /\b(?:that|which) (?:is|are) none\b|\bthere is none of\b|\bstands?\b|\bstood\b|\btold\b|\bwhoever\b|\banew\b|\bin vain\b|\bbesides\b|\bgiven up\b|\bdesk\b|\bledger\b|\b(?:goes|go|went) on\b|\bcomes? to (?:its|an|their) end\b|(?<!\bthere )\b(?:is|are) no (?!longer|more\b|further|less|smaller|larger|nearer|later|earlier|such)|\bseeds? 00\d/i;

const allComments = comments(repository);

test("comments are plain sentences", () => {
  expect(allComments.length).toBeGreaterThan(3000);
  expect(allComments.filter(({ text }) => riddlesOfComments.test(text))).toEqual([]);
});

/** A riddle within a name (`isTold`, `toldTexts`), or as a name that is declared or given. */
const riddlesOfNames =
  /\b\w+(?:Told|Stands|Stood|Whoever|Anew|Desk|Ledger|Stray|Besides)(?![a-z])|\b(?:told|stands|stood|whoever|anew|desk|ledger|stray|besides)(?=[A-Z]|\s*(?::|=[^=>]|\?\.|\)\s*=>))/g;

test("names are plain words", () => {
  const files = globSync("packages/*/{src,app}/**/*.{ts,tsx}", { cwd: repository });
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(repository, file), "utf8").split("\n");
    const code = lines.filter((line) => !/^\s*(?:\/?\*|\/\/)|["'`/]/.test(line)).join("\n");
    return (code.match(riddlesOfNames) ?? []).map((name) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
});

test("no doc comment is directly above another one, which would be about something else", () => {
  expect(allComments.flatMap(({ isSecond, place }) => (isSecond ? [place] : []))).toEqual([]);
});
