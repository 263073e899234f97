/**
 * Does an answer show what a case expects? One set of rules for every feature:
 *
 * - Lists agree item by item, in order and length. Numbers and texts agree exactly.
 * - A record may hold more than is expected of it: a case lists the fields it is about (messages are left out on
 *   purpose, an omitted `depends_on` asks nothing). Below a field of `PAYLOADS` data must be equal, with nothing added:
 *   an argument too many is another call. A field expected to be null may be absent.
 * - `{"undefined": true}` is no value. `<…>` is any value (none at all only if it says so: "or none").
 * - `@n` is the id of step n: any text, the same one everywhere, another one for every n.
 * - `{"throws": {message | messageStartsWith | messageIncludes}}` is an error with such a message; so is `{"error": "…"}`,
 *   whose text (without another language's `ValueError: `) must occur in the message. A field whose name ends in `Includes`, `IncludesAll`, `Excludes`, `Contains` or
 *   `StartsWith` is about the text (or list of texts) of the field without that ending; `contains` is about `text`.
 * - A text in a list of `messages` describes one, `"role: what it says"`: the role must agree.
 * - A `backendCall` names another system's function, with arguments of its own; the name must agree.
 * - A field whose name ends in `WithinMs` is a limit: the number may be less. One that ends in `AtLeast` may be more.
 * - `fields` lists names of a record's fields, in any order; `a / b` is either, what stands in parentheses is a remark.
 */
export interface Mismatch {
  /** Where in the expected value, `results[1].output` say; `""` is the whole. */
  readonly at: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const PAYLOADS: ReadonlySet<string> = new Set([
  "value",
  "params",
  "parameters",
  "arguments",
  "args",
  "data",
  "output",
  "input_data",
  "variables",
  "effective",
]);

export function compare(expected: unknown, actual: unknown): Mismatch[] {
  const comparison = new Comparison();
  comparison.check(expected, actual, "", false);
  return comparison.mismatches;
}

type Fields = Readonly<Record<string, unknown>>;

class Comparison {
  readonly mismatches: Mismatch[] = [];
  readonly #stepIds = new Map<string, string>();

  check(expected: unknown, actual: unknown, at: string, exact: boolean): void {
    if (!this.#agrees(expected, actual, at, exact)) this.mismatches.push({ at, expected, actual });
  }

  /** True as well when the parts are checked one by one and report for themselves. */
  #agrees(expected: unknown, actual: unknown, at: string, exact: boolean): boolean {
    if (typeof expected === "string") return this.#textAgrees(expected, actual);
    if (expected === null) return actual === null || (actual === undefined && !exact);
    if (typeof expected !== "object") return Object.is(expected, actual);
    if (Array.isArray(expected)) {
      if (!Array.isArray(actual) || actual.length !== expected.length) return false;
      for (const [index, item] of expected.entries()) this.check(item, actual[index], `${at}[${index}]`, exact);
      return true;
    }
    const wanted = expected as Fields;
    if (isNothing(wanted)) return actual === undefined || (isFields(actual) && actual.value === undefined);
    if (!isFields(actual)) return false;
    if (exact) {
      const extra = Object.keys(actual).filter((key) => actual[key] !== undefined && !Object.hasOwn(wanted, key));
      if (extra.length > 0) return false;
    }
    for (const [key, value] of Object.entries(wanted))
      this.#field(key, value, actual, at === "" ? key : `${at}.${key}`, exact);
    return true;
  }

  #field(key: string, expected: unknown, actual: Fields, at: string, exact: boolean): void {
    const own = Object.hasOwn(actual, key) ? actual[key] : undefined;
    const rule =
      key === "fieldsInclude" ? undefined : textRules.find(({ ending }) => key.endsWith(ending) && own === undefined);
    const agree = (holds: boolean, seen: unknown) => {
      if (!holds) this.mismatches.push({ at, expected, actual: seen });
    };
    if (exact) this.check(expected, own, at, true);
    else if (key.endsWith("WithinMs")) agree(typeof own === "number" && own <= Number(expected), own);
    else if (key.endsWith("AtLeast")) agree(typeof own === "number" && own >= Number(expected), own);
    else if (key === "throws") agree(messageAgrees(expected as Fields, own), own);
    else if (key === "error" && typeof own === "object" && own !== null) {
      agree(
        texts(own).some((message) => message.includes(textOf(expected))),
        own,
      );
    } else if (key === "contains") agree(holdsAll(texts(actual.text), texts(expected)), actual.text);
    else if (key === "fields" || key === "fieldsInclude")
      agree(
        texts(expected).every((name) => hasField(texts(actual.fields), name)),
        actual.fields,
      );
    else if (key === "backendCall") agree(typeof own === "string" && String(expected).startsWith(`${own}(`), own);
    else if (rule === undefined) this.check(expected, own, at, PAYLOADS.has(key));
    else {
      const subject = key.slice(0, -rule.ending.length);
      const seen = actual[subject] ?? actual[`${subject}s`];
      agree(rule.holds(texts(seen), texts(expected)), seen);
    }
  }

  #textAgrees(expected: string, actual: unknown): boolean {
    if (/^<.*>$/s.test(expected)) return actual !== undefined || expected.includes("or none");
    if (/^@\d+$/.test(expected)) {
      if (typeof actual !== "string" || actual === "") return false;
      const known = this.#stepIds.get(expected);
      if (known !== undefined) return known === actual;
      if ([...this.#stepIds.values()].includes(actual)) return false;
      this.#stepIds.set(expected, actual);
      return true;
    }
    if (isFields(actual) && typeof actual.role === "string") return expected.startsWith(`${actual.role}: `);
    return expected === actual;
  }
}

const textRules: readonly { ending: string; holds(seen: readonly string[], wanted: readonly string[]): boolean }[] = [
  { ending: "IncludesAll", holds: holdsAll },
  { ending: "Includes", holds: holdsAll },
  { ending: "Contains", holds: holdsAll },
  {
    ending: "Excludes",
    holds: (seen, wanted) => seen.length > 0 && !wanted.some((text) => seen.some((own) => own.includes(text))),
  },
  { ending: "StartsWith", holds: (seen, wanted) => wanted.every((text) => seen.some((own) => own.startsWith(text))) },
];

function holdsAll(seen: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((text) => seen.some((own) => own.includes(text)));
}

function messageAgrees(wanted: Fields, actual: unknown): boolean {
  if (!(actual instanceof Error)) return false;
  const { message, messageStartsWith, messageIncludes } = wanted;
  if (typeof message === "string") return actual.message === message;
  if (typeof messageStartsWith === "string") return actual.message.startsWith(messageStartsWith);
  return typeof messageIncludes !== "string" || actual.message.includes(messageIncludes);
}

function isNothing(expected: Fields): boolean {
  return expected.undefined === true && Object.keys(expected).length === 1;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasField(fields: readonly string[], name: string): boolean {
  return name.split(" / ").some((each) => fields.includes(each.replace(/ \([^()]*\)$/, "")));
}

/** A wanted error as `"text"` or `{"contains": "text"}`. */
function textOf(value: unknown): string {
  const text = isFields(value) && typeof value.contains === "string" ? value.contains : String(value);
  return text.replace(/^[A-Z]\w*Error: /, "");
}

function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Error) return [value.message];
  if (Array.isArray(value)) return value.flatMap(texts);
  return isFields(value) && typeof value.message === "string" ? [value.message] : [];
}
