import { definePlan, defineTool } from "planloom";
import { z } from "zod";

export const authors = defineTool({
  id: "authors",
  description: "Authors of a country",
  readOnly: true,
  input: z.object({ country: z.string() }),
  output: z.array(z.object({ id: z.number(), name: z.string(), open: z.boolean() })),
  execute: ({ country }) => [1, 2, 3].map((id) => ({ id, name: `${country}-${id}`, open: id !== 2 })),
});
export const books = defineTool({
  id: "library/books",
  description: "Books of an author",
  readOnly: true,
  input: z.object({ author_id: z.number(), note: z.string().optional() }),
  output: z.object({ author: z.number(), titles: z.array(z.string()) }),
  execute: ({ author_id }) => ({ author: author_id, titles: [`first of ${author_id}`, `second of ${author_id}`] }),
});
export const digest = defineTool({
  id: "digest",
  description: "A text of texts",
  readOnly: true,
  input: z.object({ texts: z.array(z.string()), title: z.string().default("Digest") }),
  execute: ({ texts, title }) => ({ text: `${title}: ${texts.join(", ")}` }),
});
export const tools = [authors, books, digest];
export const toolResources = tools.map(({ resource }) => resource);

/** What of a task is not a default. */
export function said(plan: { readonly planned_tasks: readonly object[] }) {
  return plan.planned_tasks.map((task) => {
    const entries = Object.entries(task).filter(
      ([key, value]) =>
        !/time|main_task_id|status|output|mark_replan/.test(key) &&
        value !== null &&
        value !== "" &&
        JSON.stringify(value) !== "{}" &&
        JSON.stringify(value) !== "[]",
    );
    return Object.fromEntries(entries);
  });
}

export const catalogue = () =>
  definePlan({ tools }, (t) => {
    const found = t.call(authors, { country: "IS" });
    return t.each(found.items(), (one) => t.call(books, { author_id: one.id }));
  });
