import { bm25 } from "../wild-baseline.ts";
import type { RelatedCase, RelatedTool, Variant } from "./relation.ts";

/** A tool of another server is unrelated to a goal if its BM25 score is at most this share of the lowest one of a tool that is called. */
const maxScoreShare = 0.4;

/** The plan must not change with tools that have nothing to do with it. */
export function distractorsOf(
  { query, tools, calls }: RelatedCase,
  pool: readonly RelatedTool[],
  random: () => number,
): Variant[] {
  const used = new Set(calls.map(({ tool }) => tool));
  const variants: Variant[] = [
    { form: "distractors: another order", query, tools: shuffled(tools, random), calls },
    { form: "distractors: order turned round", query, tools: tools.toReversed(), calls },
  ];
  const unused = tools.filter(({ name }) => !used.has(name));
  const gone = unused[Math.floor(random() * unused.length)];
  if (gone !== undefined)
    variants.push({ form: "distractors: one unused gone", query, tools: tools.filter((tool) => tool !== gone), calls });
  const own = new Set(tools.map(({ name }) => name));
  const others = pool.filter(({ name }) => !own.has(name));
  const all = [...tools, ...others];
  const scores = bm25(all)(query);
  const lowest = Math.min(...tools.flatMap(({ name }, at) => (used.has(name) ? (scores[at] ?? 0) : [])));
  const unrelated = shuffled(
    others.filter((_, at) => (scores[tools.length + at] ?? 0) <= maxScoreShare * lowest),
    random,
  );
  for (const count of [10, 50, 250])
    if (unrelated.length >= count)
      variants.push({
        form: `distractors: ${count} more`,
        query,
        tools: [...tools, ...unrelated.slice(0, count)],
        calls,
      });
  return variants;
}

function shuffled<Element>(list: readonly Element[], random: () => number): Element[] {
  const copy = [...list];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [copy[at], copy[other]] = [copy[other]!, copy[at]!];
  }
  return copy;
}
