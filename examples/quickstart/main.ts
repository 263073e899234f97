import { deepStrictEqual } from "node:assert";
// #region readme
import { defineTool, Planloom } from "planloom";
import { z } from "zod";
import { authorsOf, booksBy } from "./library.ts"; // two functions of yours

const input = z.object({ country: z.string() });
const output = z.array(z.object({ id: z.string(), name: z.string() }));
const readOnly = true; // no person is asked before a call that changes nothing
const authors = defineTool({ id: "authors", description: "List authors", readOnly, input, output, execute: authorsOf });
const ids = z.object({ author_ids: z.array(z.string()) });
const books = defineTool({ id: "books", description: "List books", readOnly, input: ids, execute: booksBy });
await using planloom = new Planloom({ tools: [authors, books] });
const { output_data } = await planloom.run("Get the authors in Iceland, then their books");
// #endregion

// The example asserts its own result: no model, no key, the same plan every time.
deepStrictEqual(output_data, {
  books: [
    { title: "Independent People", author_id: "a1" },
    { title: "The Fish Can Sing", author_id: "a1" },
  ],
});
process.stdout.write(`${JSON.stringify(output_data, null, 2)}\n`);
