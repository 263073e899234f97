import { nameAffinity } from "../catalogue/affinity.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { flagStems } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { accepts } from "../draft/link.ts";
import type { Clause, Phrase } from "../language/clauses/phrases.ts";
import { emptyNouns, measureNouns } from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { sameStem } from "../language/text/stem.ts";
import { chooseFor, wantedActions } from "./choose.ts";
import { findMentions, type Mention } from "./mention.ts";

/** A noun of a clause with the resource it means and its part in the request. */
export interface Role {
  readonly mention: Mention;
  readonly profile: Profile;
  /** Asked for; otherwise it narrows down another. */
  readonly target: boolean;
  /** A support's: the role it narrows down. A dependent target's: the one it belongs to. */
  readonly of?: Role;
}

export interface Roles {
  readonly roles: readonly Role[];
  /** Resources that a noun names but that do something else than what is asked. */
  readonly refused: readonly Profile[];
}

/** A noun with a value names a parameter from this share of its name on. */
const minParameterNameShare = 0.6;

/**
 * Which nouns are asked for and which narrow down another: the first noun and those coordinated with it are asked for;
 * a noun after a preposition narrows down the nearest noun before it whose resource takes its ids. A noun that a
 * switch of the other resource is named for is not a task at all.
 */
export function findRoles(clause: Clause, catalogue: Catalogue): Roles {
  const roles: Role[] = [];
  const refused: Profile[] = [];
  const mentions = findMentions(clause, catalogue);
  const owner = ownerAsked(clause, mentions);
  for (const mention of mentions) {
    if (mention === owner) continue;
    const phrase = clause.phrases[mention.phrase]!;
    const first = roles.length === 0;
    // "by region", "per author" alone say how to group, not what to get.
    if (first && /^(?:by|per)$/.test(phrase.preposition)) continue;
    // "which authors have the highest sale rates": a figure about sales, asked of authors.
    if (first && mention.phrase > 0 && clause.question !== "" && isFigure(phrase, mention)) continue;
    const coordinated = phrase.joined && (phrase.preposition === "" || phrase.possessive);
    const target = first || coordinated;
    const choice = chooseFor(mention, clause, wantedActions(clause, mention), !target);
    if (choice.profile === undefined) {
      refused.push(...choice.refused);
      continue;
    }
    const { profile } = choice;
    // "a gross price with a net price of 5": half a name of what is asked already names a part of it.
    const half = (mention.candidates.find((each) => each.profile === profile)?.coverage ?? 1) < 1;
    if (half && roles.some((role) => role.profile === profile)) continue;
    if (!first && !phrase.possessive && (!isHead(phrase, mention) || namesArgument(roles, clause, mention))) continue;
    const before = nearest(roles, mention.phrase, profile);
    const holder = roles.findLast((role) => isSwitch(role.profile, clause, mention));
    if (
      holder !== undefined &&
      phrase.preposition !== "for" &&
      !coordinated &&
      !first &&
      (phrase.relative || phrase.preposition !== "" || !target)
    )
      continue;
    if (target) {
      const belongs = phrase.possessive ? ownerOf(profile, clause, roles) : undefined;
      roles.push({ mention, profile, target: true, ...(belongs && { of: belongs }) });
    } else if (before !== undefined) roles.push({ mention, profile, target: false, of: before });
    else {
      const owner = roles.findLast((role) => accepts(profile, role.profile));
      // "books with their authors", "check parcels for damages": the second is asked for too, of the first.
      if (owner !== undefined) roles.push({ mention, profile, target: true, of: owner });
      else if (beside.has(phrase.preposition) || clause.verb === "compare")
        roles.push({ mention, profile, target: true });
    }
  }
  const had = owner === undefined ? undefined : roles.find(({ target }) => target);
  const { profile } =
    owner === undefined ? { profile: undefined } : chooseFor(owner, clause, wantedActions(clause), true);
  if (owner !== undefined && had !== undefined && profile !== undefined && accepts(had.profile, profile))
    roles.push({ mention: owner, profile, target: false, of: had });
  return { roles, refused };
}

/** "Does customer C-7 have any orders?": orders are asked for, of that customer. */
function ownerAsked({ tokens, phrases }: Clause, mentions: readonly Mention[]): Mention | undefined {
  const [first] = tokens;
  const have = tokens.find(({ lower }) => /^(?:have|own|hold)$/.test(lower));
  if (first === undefined || have === undefined || !/^(?:do|does|did)$/.test(first.lower)) return undefined;
  const startOf = ({ phrase }: Mention) => phrases[phrase]?.words[0]?.start ?? 0;
  const owner = mentions.find((mention) => startOf(mention) < have.start);
  return mentions.some((mention) => startOf(mention) > have.start) ? owner : undefined;
}

/** "A, their B and their C": both are of A, if A leads to C; else of the nearest that does. */
function ownerOf(profile: Profile, clause: Clause, roles: readonly Role[]): Role | undefined {
  const targets = roles.filter((role) => role.target);
  const plain = targets.filter((role) => clause.phrases[role.mention.phrase]?.possessive !== true);
  const ordered = [...plain.reverse(), ...targets.reverse()];
  return ordered.find((role) => accepts(profile, role.profile)) ?? ordered[0];
}

const beside: ReadonlySet<string> = new Set(["with", "including", "against", "versus", "vs"]);

/** The noun ends its phrase, but for words that say nothing, participles and values. */
function isHead(phrase: Phrase, mention: Mention): boolean {
  return phrase.words
    .slice(mention.to)
    .every((word) => word.kind !== "word" || word.capital || emptyNouns.has(word.lower) || isParticiple(word));
}

function isFigure(phrase: Phrase, mention: Mention): boolean {
  return phrase.words.slice(mention.to).some((word) => measureNouns.has(word.lower));
}

/** "an interest rate of 5%" gives `interest_rate` of what was asked, though another resource is about interest. */
function namesArgument(roles: readonly Role[], clause: Clause, mention: Mention): boolean {
  const phrase = clause.phrases[mention.phrase];
  const next = clause.phrases[mention.phrase + 1];
  const isValue = (word: { kind: string; capital: boolean } | undefined) =>
    word !== undefined && (word.kind !== "word" || word.capital);
  const valued =
    phrase?.words.some(isValue) === true ||
    (next !== undefined && /^(?:of|as)$/.test(next.preposition) && isValue(next.words[0]));
  if (phrase === undefined || !valued) return false;
  const stems = new Set(phrase.words.map((word) => word.stem));
  return roles.some(({ profile }) =>
    profile.parameters.some(
      (parameter) =>
        !parameter.isIdentifier &&
        !parameter.types.has("boolean") &&
        nameAffinity(parameter, stems) >= minParameterNameShare,
    ),
  );
}

function nearest(roles: readonly Role[], phrase: number, profile: Profile): Role | undefined {
  return roles.findLast(
    (role) => role.mention.phrase < phrase && role.profile !== profile && accepts(role.profile, profile),
  );
}

/** The resource has a switch for just this: "orders with defects" and `has_defects`. */
function isSwitch(profile: Profile, clause: Clause, mention: Mention): boolean {
  const words = clause.phrases[mention.phrase]?.words ?? [];
  return profile.parameters.some((parameter) => {
    if (!parameter.types.has("boolean")) return false;
    const wanted = flagStems(parameter);
    return wanted.length > 0 && wanted.every((each) => words.some((word) => sameStem(word.stem, each)));
  });
}
