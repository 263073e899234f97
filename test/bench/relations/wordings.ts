import type { RelatedCase, Variant } from "./relation.ts";

type Reword = (query: string) => string | undefined;

/** Outside of values, quotations and what is written like a path or an id: `change` gets each stretch of the goal between them. */
function around({ query, values }: RelatedCase, change: (stretch: string) => string): string {
  let text = "";
  let at = 0;
  const written = [...query.matchAll(/"[^"]*"|“[^”]*”|(?<!\p{L})'[^']*'(?!\p{L})|\S*[\d/_@#.]\S+/gu)];
  const kept = [...values, ...written.map(({ index, 0: own }) => ({ start: index, text: own }))];
  for (const { start, text: said } of kept.toSorted((left, right) => left.start - right.start)) {
    if (start < at) continue;
    text += change(query.slice(at, start)) + said;
    at = start + said.length;
  }
  return text + change(query.slice(at));
}

const hasQuotes = /["“”]/;

const writings: Readonly<Record<string, (example: RelatedCase, random: () => number) => string | undefined>> = {
  "no capitals": (example) => around(example, (stretch) => stretch.toLowerCase()),
  "first letter small": ({ query }) => `${query.charAt(0).toLowerCase()}${query.slice(1)}`,
  "full stop": ({ query }) => (/[\p{L}\d)]$/u.test(query) ? `${query}.` : undefined),
  "no final mark": ({ query }) => query.replace(/\s*[.!?]+\s*$/, ""),
  "exclamation mark": ({ query }) => (/[\p{L}\d)]$/u.test(query) ? `${query}!` : undefined),
  "typographic quotes": ({ query }) =>
    hasQuotes.test(query)
      ? query.replace(/"([^"]*)"/g, "“$1”").replace(/(\p{L})'(\p{L})/gu, "$1’$2")
      : query.replace(/(\p{L})'(\p{L})/gu, "$1’$2"),
  "doubled spaces": (example) => around(example, (stretch) => stretch.replaceAll(" ", "  ")),
  "line breaks": (example) => {
    const wrapped = around(example, (stretch) => stretch.replace(/ (?=(?:in|of|with|for|to|from|and) )/, "\n"));
    return wrapped === example.query ? undefined : wrapped;
  },
  pls: ({ query }) => `pls ${query.charAt(0).toLowerCase()}${query.slice(1)}`,
  "typo: letters exchanged": (example, random) =>
    withTypo(
      example,
      random,
      (word, at) => `${word.slice(0, at)}${word.charAt(at + 1)}${word.charAt(at)}${word.slice(at + 2)}`,
    ),
  "typo: letter left out": (example, random) =>
    withTypo(example, random, (word, at) => `${word.slice(0, at)}${word.slice(at + 1)}`),
  "typo: letter doubled": (example, random) =>
    withTypo(example, random, (word, at) => `${word.slice(0, at)}${word.charAt(at)}${word.slice(at)}`),
};

/** Makes a slip in one long word of the goal that is no part of a value and no name. */
function withTypo(
  example: RelatedCase,
  random: () => number,
  slip: (word: string, at: number) => string,
): string | undefined {
  const { query, values } = example;
  const isSaid = (at: number) => values.some(({ start, text }) => at >= start && at < start + text.length);
  const words = [...query.matchAll(/(?<![\p{L}\d_./'’"-])\p{Ll}{6,}(?![\p{L}\d_/'’"-]|\.\p{L})/gu)].filter(
    ({ index }) => !isSaid(index),
  );
  const chosen = words[Math.floor(random() * words.length)];
  if (chosen === undefined) return undefined;
  const [word] = chosen;
  const at = 2 + Math.floor(random() * (word.length - 4));
  const wrong = slip(word, at);
  return wrong === word
    ? undefined
    : `${query.slice(0, chosen.index)}${wrong}${query.slice(chosen.index + word.length)}`;
}

/** A request to show something: its verb, and what is to be shown. */
const showing =
  /^(?:show(?: me)?|list|get(?: me)?|give me|display)\s+(?<thing>(?:the|all|my|our|every|each|any|\p{L}+s)\b.*)$/isu;
const thingOf = (query: string) => showing.exec(query.replace(/\s*[.!]+\s*$/, ""))?.groups?.thing;
const ofThing = (write: (thing: string) => string) => (query: string) => {
  const thing = thingOf(query);
  return thing === undefined || /,|\b(?:then|and|as|me)\b/i.test(thing) ? undefined : write(thing);
};
/** A plural with its article, of which "what are" can be asked. */
const plural =
  /^(?:the |all |my |our |all the )*(?:\p{Ll}+ ){0,2}\p{Ll}+[^s\W]s(?= (?:of|in|on|from|for|with|at|by|under)\b|$)/iu;
const request = /^(?:\p{Lu}?\p{Ll}+)\s+\S/u;
const isImperative = (query: string) =>
  request.test(query) &&
  !/\?\s*$/.test(query) &&
  !/^(?:what|which|who|where|when|how|why|is|are|do|does|did|can|could|any|the|my|all|i|we|if|please|in|on|from|for|at|there)\b/i.test(
    query,
  );
const lowered = (query: string) => `${query.charAt(0).toLowerCase()}${query.slice(1)}`;
const ofRequest = (write: (act: string) => string) => (query: string) =>
  isImperative(query) ? write(lowered(query)) : undefined;

const persons: Readonly<Record<string, Reword>> = {
  "I need …": ofThing((thing) => `I need ${thing}`),
  "we want to see …": ofThing((thing) => `We want to see ${thing}`),
  "give me …": ofThing((thing) => `Give me ${thing}`),
  "get me …": ofThing((thing) => `Get me ${thing}`),
  "show …": ofThing((thing) => `Show ${thing}`),
  "I'd like to see …": ofThing((thing) => `I'd like to see ${thing}`),
  "can I see …?": ofThing((thing) => `Can I see ${thing}?`),
  "what are …?": ofThing((thing) =>
    plural.test(thing) ? `What are ${thing.replace(/^all (?:the )?/i, "the ")}?` : "",
  ),
  "a noun phrase": ofThing((thing) => `${thing.charAt(0).toUpperCase()}${thing.slice(1)}`),
  "we need to …": ofRequest((act) => `We need to ${act}`),
  "I have to …": ofRequest((act) => `I have to ${act}`),
  "can someone …?": ofRequest((act) => `Can someone ${act.replace(/[.!]+\s*$/, "")}?`),
  "it would be great if you could …": ofRequest((act) => `It would be great if you could ${act}`),
  "you should …": ofRequest((act) => `You should ${act}`),
  "I want you to …": ofRequest((act) => `I want you to ${act}`),
  "go and …": ofRequest((act) => `Go and ${act}`),
};

/** The goal written or said otherwise, with its values as they are: the same calls must come. */
export function wordingsOf(example: RelatedCase, random: () => number): Variant[] {
  const { query, tools, calls } = example;
  const variants: Variant[] = [];
  const add = (form: string, text: string | undefined) => {
    if (text !== undefined && text !== "" && text !== query)
      variants.push({ form, query: text, tools, calls, ...(form === "writing: no capitals" && { anyCase: true }) });
  };
  for (const [form, write] of Object.entries(writings)) add(`writing: ${form}`, write(example, random));
  for (const [form, say] of Object.entries(persons)) add(`person: ${form}`, say(query));
  return variants;
}
