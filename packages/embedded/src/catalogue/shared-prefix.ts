import type { Resource } from "@planloom/plan";
import { isVerb } from "../language/text/actions.ts";
import { splitName } from "../language/text/split-name.ts";

/** Fewer names than this share their first word by chance. */
const minSharing = 4;
/** The share of a server's names that begin with its own. */
const minShare = 0.7;

/**
 * The word that a server puts before the names of its tools, "slack" of `slack_post_message`: it tells whose the tool is, not what the tool
 * does or what it is about. By the part of the id before the last slash; none where the names share no first word, or a verb.
 * Linear in the number of resources.
 */
export function sharedPrefixes(resources: readonly Resource[], labelOf: (resource: Resource) => string) {
  const groups = new Map<string, { all: number; readonly byFirst: Map<string, number> }>();
  for (const resource of resources) {
    const group = groups.get(ownerOf(resource)) ?? { all: 0, byFirst: new Map<string, number>() };
    groups.set(ownerOf(resource), group);
    group.all += 1;
    const [first, second] = splitName(labelOf(resource));
    if (first !== undefined && second !== undefined) group.byFirst.set(first, (group.byFirst.get(first) ?? 0) + 1);
  }
  const found = new Map<string, string>();
  for (const [owner, { all, byFirst }] of groups)
    for (const [word, count] of byFirst)
      if (count >= minSharing && count >= minShare * all && !isVerb(word)) found.set(owner, word);
  return (resource: Resource): string | undefined => found.get(ownerOf(resource));
}

const ownerOf = ({ id }: Resource) => id.slice(0, Math.max(0, id.lastIndexOf("/")));
