import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { OutputField } from "../../catalogue/output-shape.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { typesMeet } from "../../draft/link.ts";
import { stem } from "../../language/text/stem.ts";
import { weakNames } from "../../language/text/weak-names.ts";

/** A field of a resource as the value of a parameter. */
export interface FieldFit {
  readonly field?: OutputField;
  /** 0 to 1. */
  readonly score: number;
}

/** How well the resources of a catalogue fit together, by the names, types and descriptions in their schemas. */
export interface Feeding {
  /** The field of the source that is likest to what the parameter wants. */
  fit(source: Profile, parameter: Parameter): FieldFit;
  /** How surely the source yields something that the target requires, less for names that many have: 0 to 1. */
  feeds(source: Profile, target: Profile): number;
  /** The same, whatever the names are worth. */
  fits(source: Profile, target: Profile): number;
  /** Required parameters for which some other resource surely yields the value. */
  derived(target: Profile): readonly Parameter[];
}

/** A field that fits like this is what the parameter is for. */
export const sureFit = 0.75;
/** Names that more resources have say nothing of what comes from where. */
const maxResourcesPerName = 40;
/** What a name is worth that says little, and one that most resources have; a name that one or two have is worth 1. */
const nameWeights = { weak: 0.2, least: 0.15 } as const;
/** What a field is worth that only together with its resource's name is called like the parameter. */
const spelledShare = 0.8;
/** Fields of a resource that are looked at. */
const maxFieldsOfSource = 40;
const cache = new WeakMap<Catalogue, Feeding>();

/** Made once per catalogue; a pair is compared when it is first asked about, so the cost stays off the catalogue's size. */
export function feedingOf(catalogue: Catalogue): Feeding {
  let made = cache.get(catalogue);
  if (made === undefined) {
    made = build(catalogue);
    cache.set(catalogue, made);
  }
  return made;
}

function build(catalogue: Catalogue): Feeding {
  const all = Math.max(6, catalogue.profiles.length);
  const having = (name: string) => catalogue.byAttribute.get(name) ?? [];
  const weight = memo((name: string) =>
    weakNames.has(name)
      ? nameWeights.weak
      : Math.max(nameWeights.least, 1 - Math.max(0, having(name).length - 2) / all),
  );
  const fits = memo((source: Profile) => memo((parameter: Parameter) => bestFit(source, parameter, weight)));
  const fit = (source: Profile, parameter: Parameter) => fits(source)(parameter);
  const pairs = memo((source: Profile) =>
    memo((target: Profile) =>
      target.parameters
        .filter((parameter) => parameter.required)
        .reduce((best, each) => Math.max(best, fit(source, each).score * Math.max(0, ...each.stems.map(weight))), 0),
    ),
  );
  const plain = memo((source: Profile) =>
    memo((target: Profile) =>
      target.parameters
        .filter((parameter) => parameter.required)
        .reduce((best, each) => Math.max(best, fit(source, each).score), 0),
    ),
  );
  const derived = memo((target: Profile) =>
    target.parameters.filter((parameter) => {
      const names = parameter.stems.filter(
        (name) => !weakNames.has(name) && having(name).length <= maxResourcesPerName,
      );
      const sources = new Set(names.flatMap(having));
      return (
        parameter.required &&
        [...sources].some((source) => source !== target && fit(source, parameter).score >= sureFit)
      );
    }),
  );
  return {
    fit,
    feeds: (source, target) => pairs(source)(target),
    fits: (source, target) => plain(source)(target),
    derived,
  };
}

function memo<Key extends object | string, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = compute(key);
      known.set(key, value);
    }
    return value;
  };
}

function bestFit(source: Profile, parameter: Parameter, weight: (name: string) => number): FieldFit {
  let best: FieldFit = { score: 0 };
  if (parameter.choices.length > 0) return best;
  const about = [...parameter.about];
  const names = source.nameWords.map(stem);
  for (const field of source.output.fields.slice(0, maxFieldsOfSource)) {
    if (!typesMeet(parameter, field)) continue;
    const named = alike(parameter.stems, field.stems, weight);
    const described = alike(about, [...field.about], weight);
    // `book_isbn` is the `isbn` of `find_book`.
    const spelled = named === 0 ? 0 : spelledShare * alike(parameter.stems, [...field.stems, ...names], weight);
    const score = Math.max(named, (named + described) / 2, spelled);
    if (score > best.score) best = { field, score };
  }
  return best;
}

/** Weighted Dice coefficient of two lists of stems. */
function alike(left: readonly string[], right: readonly string[], weight: (name: string) => number): number {
  const other = new Set(right);
  let both = 0;
  let all = 0;
  for (const each of left) {
    all += weight(each);
    if (other.has(each)) both += 2 * weight(each);
  }
  for (const each of other) all += weight(each);
  return all === 0 ? 0 : Math.min(1, both / all);
}
