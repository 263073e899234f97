const authors = [
  { id: "a1", name: "Halldór Laxness", country: "Iceland" },
  { id: "a2", name: "Astrid Lindgren", country: "Sweden" },
];
const books = [
  { title: "Independent People", author_id: "a1" },
  { title: "Ronia, the Robber's Daughter", author_id: "a2" },
  { title: "The Fish Can Sing", author_id: "a1" },
];

export function authorsOf({ country }: { country: string }) {
  return authors.filter((author) => author.country === country);
}

export function booksBy({ author_ids }: { author_ids: string[] }) {
  return books.filter((book) => author_ids.includes(book.author_id));
}
