import type { Resource } from "@planloom/plan";

/** A name of several words, which no sentence has by accident. */
const namePattern = /[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)+/gu;
const sentenceBreak = /(?<=[.!?;])\s+|\n+/u;

/**
 * The resource without the sentences of its description that tell of other resources: "Use `append_note` to add to a note" says nothing of `replace_note`.
 * The first sentence stays. Linear in the description.
 * @param names of all resources, in small letters
 */
export function withOwnSentences(resource: Resource, own: string, names: ReadonlySet<string>): Resource {
  const [first = "", ...rest] = resource.description.split(sentenceBreak);
  const isOfOthers = (sentence: string) =>
    [...sentence.matchAll(namePattern)].some(([name]) => name.toLowerCase() !== own && names.has(name.toLowerCase()));
  const kept = rest.filter((sentence) => !isOfOthers(sentence));
  return kept.length === rest.length ? resource : { ...resource, description: [first, ...kept].join(" ") };
}
