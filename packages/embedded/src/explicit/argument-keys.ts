import { isRecord } from "@planloom/plan";
import { branches, propertiesOf, typesOf } from "../catalogue/json-schema.ts";
import type { Profile } from "../catalogue/profile.ts";

/** Where an argument lies: names of fields, and positions in lists. */
export type ArgumentPath = readonly (string | number)[];

/** The names by which a goal may give the arguments of one resource. */
export interface ArgumentKeys {
  /** What the resource takes, in the order of its schema. */
  readonly names: readonly string[];
  readonly required: ReadonlySet<string>;
  /** Source of a pattern for a name, and for what may follow it: `address.city`, `edits[0].text`. */
  readonly pattern: string;
  /** The resource takes fields that its schema does not name. */
  readonly takesAny: boolean;
  /** The path that a key means; undefined: the resource takes nothing of the kind. */
  resolve(key: string): ArgumentPath | undefined;
  /** The schema of the value at a path. */
  schemaAt(path: ArgumentPath): Readonly<Record<string, unknown>>;
}

const made = new WeakMap<Profile, ArgumentKeys>();

/** Read once per resource. */
export function keysOf(profile: Profile): ArgumentKeys {
  const known = made.get(profile);
  if (known !== undefined) return known;
  const root = profile.resource.input_schema;
  const [whole = {}] = branches(root, root);
  const properties = propertiesOf(whole);
  const names = properties.map(([name]) => name);
  const byLength = names.toSorted((left, right) => right.length - left.length);
  const keys: ArgumentKeys = {
    names,
    required: new Set(profile.parameters.filter(({ required }) => required).map(({ path }) => String(path[0] ?? ""))),
    pattern: byLength.length === 0 ? "(?!)" : `(?:${byLength.map(spellings).join("|")})${deeper}`,
    takesAny: isRecord(whole.additionalProperties) || whole.additionalProperties === true,
    resolve: (key) => resolve(key.trim(), root, root),
    schemaAt: (path) => path.reduce<Readonly<Record<string, unknown>>>((at, step) => stepInto(at, step, root), whole),
  };
  made.set(profile, keys);
  return keys;
}

/** Fields of fields, and positions in lists. */
const deeper = String.raw`(?:\.[\p{L}\p{N}_$-]+|\[\d{1,4}\]|\["[^"\]]{1,80}"\])*`;

/** `max_count` may be written "max-count", "max count" and "maxCount" too. */
function spellings(name: string): string {
  const words = name.split(/[_\s-]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word !== "");
  return words.length > 1 && words.length < 8
    ? `${escapeAll(name)}|${words.map(escapeAll).join("[ _-]?")}`
    : escapeAll(name);
}

const escapeAll = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

function resolve(key: string, schema: unknown, root: unknown): ArgumentPath | undefined {
  if (key === "") return [];
  for (const shape of branches(schema, root)) {
    const own = within(key, shape, root);
    if (own !== undefined) return own;
  }
  return undefined;
}

function within(key: string, shape: Readonly<Record<string, unknown>>, root: unknown): ArgumentPath | undefined {
  const types = typesOf(shape);
  const index = /^\[?(\d{1,4})\]?(?:\.|(?=\[)|$)/.exec(key);
  if (types.has("array") && index !== null) {
    const rest = resolve(key.slice(index[0].length), shape.items, root);
    return rest && [Number(index[1]), ...rest];
  }
  if (types.size > 0 && !types.has("object")) return undefined;
  const properties = propertiesOf(shape);
  const exact = properties
    .filter(([name]) => startsWith(key, name))
    .toSorted(([left], [right]) => right.length - left.length);
  const bare = /^[^.[]*/.exec(key)?.[0] ?? "";
  const alike = properties.filter(([name]) => bare !== "" && plain(name) === plain(bare));
  const [found] = exact.length > 0 ? exact : alike.length === 1 ? alike : [];
  if (found !== undefined) {
    const [name, inner] = found;
    const rest = resolve(key.slice(exact.length > 0 ? name.length : bare.length).replace(/^\./, ""), inner, root);
    return rest && [name, ...rest];
  }
  return freeField(key, shape, root, properties.length === 0);
}

/** A field that the schema does not name, where it allows any. */
function freeField(
  key: string,
  shape: Readonly<Record<string, unknown>>,
  root: unknown,
  isBare: boolean,
): ArgumentPath | undefined {
  const open = isRecord(shape.additionalProperties) || shape.additionalProperties === true;
  const [all, quoted, bare] = /^(?:\["([^"\]]+)"\]|([^.[\]]+))\.?/.exec(key) ?? [];
  const name = quoted ?? bare;
  if (all === undefined || name === undefined || !(open || (isBare && shape.additionalProperties !== false)))
    return undefined;
  const rest = resolve(
    key.slice(all.length),
    isRecord(shape.additionalProperties) ? shape.additionalProperties : {},
    root,
  );
  return rest && [name, ...rest];
}

const startsWith = (key: string, name: string) => key.startsWith(name) && /^(?:$|[.[])/.test(key.slice(name.length));
const plain = (name: string) => name.toLowerCase().replace(/[_\s-]+/g, "");

function stepInto(
  schema: Readonly<Record<string, unknown>>,
  step: string | number,
  root: unknown,
): Record<string, unknown> {
  for (const shape of branches(schema, root)) {
    if (typeof step === "number") {
      if (isRecord(shape.items)) return branchesAsOne(shape.items, root);
      continue;
    }
    const property = propertiesOf(shape).find(([name]) => name === step);
    if (property !== undefined) return branchesAsOne(property[1], root);
    if (isRecord(shape.additionalProperties)) return branchesAsOne(shape.additionalProperties, root);
  }
  return {};
}

const branchesAsOne = (schema: unknown, root: unknown) => {
  const shapes = branches(schema, root);
  return shapes.length === 1 ? shapes[0]! : { anyOf: shapes };
};
