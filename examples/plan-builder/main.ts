// A plan that is written in TypeScript: what a tool takes and gives is known to the compiler, and what is made is an ordinary plan.
import { deepStrictEqual } from "node:assert";
// #region plan
import { definePlan, defineTool, Planloom } from "planloom";
import { z } from "zod";

const authors = defineTool({
  id: "authors",
  description: "List the authors of a country",
  readOnly: true,
  input: z.object({ country: z.string() }),
  output: z.array(z.object({ id: z.number(), name: z.string(), living: z.boolean() })),
  execute: ({ country }) => [
    { id: 1, name: `Anna of ${country}`, living: true },
    { id: 2, name: `Jón of ${country}`, living: false },
  ],
});
const books = defineTool({
  id: "books",
  description: "List the books of an author",
  readOnly: true,
  input: z.object({ author_id: z.number() }),
  output: z.array(z.object({ title: z.string() })),
  execute: ({ author_id }) => [{ title: `First of ${author_id}` }, { title: `Second of ${author_id}` }],
});
const letter = defineTool({
  id: "letter",
  description: "Write a letter",
  readOnly: true,
  input: z.object({ to: z.string(), about: z.array(z.string()) }),
  execute: ({ to, about }) => ({ text: `Dear ${to}, we have read ${about.join(" and ")}.` }),
});

const plan = definePlan({ tools: [authors, books, letter], variables: { country: "Iceland" } }, (t) => {
  const found = t.call(authors, { country: t.variables.country });
  const letters = t.each(
    found.items(),
    (author) => {
      const theirs = t.call(books, { author_id: author.id }, { when: t.expression`${author.living}` });
      return t.call(letter, { to: author.name, about: t.present(theirs).items().title });
    },
    { concurrency: 4, on_failure: "collect" },
  );
  return { letters };
});

await using planloom = new Planloom({ tools: [authors, books, letter] });
const run = await planloom.run(plan);
if (run.end_reason === "completed")
  for (const written of run.output_data.letters) console.log(written?.text ?? "(none)");
// #endregion

deepStrictEqual(run.output_data, {
  letters: [{ text: "Dear Anna of Iceland, we have read First of 1 and Second of 1." }, null],
});
