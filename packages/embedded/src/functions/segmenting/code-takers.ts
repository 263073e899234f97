import type { Profile } from "../../catalogue/profile.ts";
import { serversOf } from "../../catalogue/servers.ts";
import { takesStatement } from "../../catalogue/takes-statement.ts";
import { isWrittenLike } from "../../catalogue/written-like.ts";
import { keywordOf } from "../../language/clauses/statements.ts";
import type { Token } from "../../language/text/token.ts";
import type { Relevance } from "./relevance.ts";

/** Codes of a goal that are looked at. */
const maxCodes = 20;
/** A code that a larger share of the resources takes tells nothing of which is meant. */
const maxShare = 0.8;

/**
 * The resources that take ids which are written like a token, or statements of its keyword, or that come from a server which is called so; absent for
 * other tokens.
 */
export type CodeTakers = ReadonlyMap<Token, ReadonlySet<Profile>>;

/** "who has handled BX-418", "throw away BX-418": the code itself says of what kind the thing is. O(codes x parameters of all resources). */
export function codeTakersOf(tokens: readonly Token[], { profiles }: Relevance): CodeTakers {
  const found = new Map<Token, ReadonlySet<Profile>>();
  const servers = serversOf(profiles);
  for (const [at, token] of tokens.entries()) {
    const named = servers.size > 0 ? serverNamed(tokens, at, servers) : undefined;
    if (named !== undefined && named.size <= maxShare * profiles.length) found.set(token, named);
    const keyword = token.kind === "quoted" ? keywordOf(String(token.value)) : undefined;
    const readers = keyword === undefined ? [] : profiles.filter((profile) => takesStatement(profile, keyword));
    if (readers.length > 0) found.set(token, new Set(readers));
    if (token.kind !== "literal" || token.text.length > 200 || found.size >= maxCodes) continue;
    const alike = profiles.filter(({ parameters }) => parameters.some((each) => isWrittenLike(each, token.text)));
    const takers = alike.length > 0 ? alike : takersByInitial(token.text, profiles);
    if (takers.length > 0 && takers.length <= maxShare * profiles.length) found.set(token, new Set(takers));
  }
  return found;
}

/** "O-11" where no schema shows a code: the resources that take the id of an order, if no other kind of thing begins so and none takes the id of any thing. */
function takersByInitial(code: string, profiles: readonly Profile[]): Profile[] {
  const lead = /^\p{Lu}{1,3}(?=[-_]\d)/u.exec(code)?.[0].toLowerCase();
  if (lead === undefined) return [];
  const kinds = new Set<string>();
  const takers = profiles.filter(({ parameters, entity }) => {
    const nouns = parameters.flatMap((each) =>
      each.isIdentifier && each.required ? (each.entity.at(-1) ?? entity.at(-1) ?? []) : [],
    );
    const own = nouns.filter((noun) => noun.startsWith(lead));
    for (const noun of nouns) if (own.includes(noun) || anyThing.has(noun)) kinds.add(noun);
    return own.length > 0;
  });
  return kinds.size === 1 ? takers : [];
}

const anyThing: ReadonlySet<string> = new Set(["object", "entity", "resource", "item", "record", "thing"]);

/** "on GitHub", "my Slack workspace": the resources of the server that is called so. Words that are also those of a resource's own name say nothing of servers. */
function serverNamed(
  tokens: readonly Token[],
  at: number,
  servers: ReadonlyMap<string, ReadonlySet<Profile>>,
): ReadonlySet<Profile> | undefined {
  const { kind, lower, capital } = tokens[at]!;
  if (kind !== "word") return undefined;
  const before = tokens[at - 1];
  const isPlace = /^(?:on|in|from|via|using|with|through)$/.test(before?.lower ?? "");
  if (!isPlace && !(capital && before !== undefined)) return undefined;
  const two = `${lower} ${tokens[at + 1]?.lower ?? ""}`;
  const own = servers.get(two) ?? servers.get(lower);
  if (own === undefined) return undefined;
  const isNoun = !capital && [...own].some(({ entity }) => entity.includes(lower));
  return isNoun ? undefined : own;
}
