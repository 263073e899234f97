import type { RelatedCase, Variant } from "./relation.ts";

/** A request, and not a question or a name of a thing: it can follow "then". */
const isRequest = (query: string) => !/\?\s*$/.test(query) && /^\p{Lu}?\p{Ll}+(?:\s|$)/u.test(query);
/** What points at something said before means something else once another request comes before it. */
const pointsBack =
  /\b(?:it|its|them|they|their|this|that|those|these|same|one|ones|there|then|also|too|other|again)\b/i;
const withoutStop = (query: string) => query.replace(/\s*[.!]+\s*$/, "");
const lowered = (query: string) =>
  /^\p{Lu}\p{Ll}*\s/u.test(query) ? `${query.charAt(0).toLowerCase()}${query.slice(1)}` : query;
const raised = (query: string) => `${query.charAt(0).toUpperCase()}${query.slice(1)}`;

/** Two requests over the same tools, said in one goal: both calls with their arguments must come. */
export function compositionsOf(first: RelatedCase, second: RelatedCase): Variant[] {
  if ([first, second].some(({ query }) => query.includes("\n") || pointsBack.test(query))) return [];
  const [a, b] = [withoutStop(first.query), withoutStop(second.query)];
  const texts: (readonly [form: string, query: string])[] = [];
  const both = isRequest(a) && isRequest(b);
  if (both) {
    texts.push(["A, then B", `${a}, then ${lowered(b)}`], ["A and B", `${a} and ${lowered(b)}`]);
    texts.push(
      ["B after A", `${raised(b)} after you ${lowered(a)}`],
      ["First A; B", `First ${lowered(a)}; ${lowered(b)}`],
    );
    texts.push(["A, and also B", `${a}, and also ${lowered(b)}`]);
  }
  const stop = (text: string) => (/[?]$/.test(text) ? text : `${text}.`);
  texts.push(["A. B.", `${stop(raised(a))} ${stop(raised(b))}`]);
  texts.push(["A, B on lines", `${a}\n${b}`]);
  return texts.map(([form, query]) => ({
    form: `composition: ${form}`,
    query,
    tools: first.tools,
    calls: [...first.calls, ...second.calls],
  }));
}
