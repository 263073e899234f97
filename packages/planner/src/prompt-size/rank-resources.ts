import { isRecord, nameWords, type Resource } from "@planloom/plan";
import MiniSearch from "minisearch";

/** Of a query; a goal may be a page, and each word costs a look-up. */
const maxWords = 200;
/** Of one resource's description, in characters. */
const maxDescription = 2_000;
/** Of one resource's parameters. */
const maxParameters = 100;

/** An index is made once per list: Stage 2 asks with every task. */
const indexes = new WeakMap<readonly Resource[], MiniSearch>();

/**
 * The places of `resources`, the most relevant to `query` first: those whose id the query names, then by how well names, tags,
 * descriptions and parameter names match its words (BM25; beginnings of words and small misspellings count too). Those that match nothing follow
 * in the order given. Words alone are compared, so what is said in other words, or in another language, ranks low.
 */
export function rankResources(resources: readonly Resource[], query: string): number[] {
  const words = [...new Set(wordsOf(query))].slice(0, maxWords);
  const scores = new Float64Array(resources.length);
  for (const { id, score } of indexOf(resources).search(words.join(" "))) scores[id as number] = score;
  resources.forEach(({ id }, at) => {
    if (id.length > 2 && query.includes(id)) scores[at] = Number.POSITIVE_INFINITY;
  });
  // Equal scores compare as equal also where both are infinite.
  return resources.map((_, at) => at).sort((a, b) => (scores[a] === scores[b] ? a - b : scores[b]! - scores[a]!));
}

function indexOf(resources: readonly Resource[]): MiniSearch {
  const known = indexes.get(resources);
  if (known !== undefined) return known;
  const index = new MiniSearch({
    fields: ["name", "tags", "description", "parameters"],
    tokenize: wordsOf,
    searchOptions: {
      boost: { name: 3, tags: 2, parameters: 0.7 },
      prefix: (word) => word.length >= 4,
      fuzzy: (word) => (word.length >= 5 ? 0.2 : false),
    },
  });
  index.addAll(
    resources.map(({ id, name = "", description, tags = [], traits = [], skills = [], input_schema }, at) => ({
      id: at,
      name: `${id} ${name}`,
      tags: [...tags, ...traits, ...skills].join(" "),
      description: description.slice(0, maxDescription),
      parameters: parameterNames(input_schema).slice(0, maxParameters).join(" "),
    })),
  );
  indexes.set(resources, index);
  return index;
}

function parameterNames(schema: unknown): string[] {
  return isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
}

/** Words of a text or a name: `listOpen_orders` has three. */
function wordsOf(text: string): string[] {
  return nameWords(text).filter((word) => word.length > 1 && !common.has(word));
}

/** Words that do not distinguish resources. */
const common: ReadonlySet<string> = new Set(
  "the and or of for to in on at by with from into as is are be an all any each every it its their them that this which then than".split(
    " ",
  ),
);
