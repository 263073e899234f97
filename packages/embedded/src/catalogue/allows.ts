import { type JsonSchema, validateValue } from "@planloom/plan";
import type { Parameter } from "./parameter.ts";

const local = new WeakMap<object, boolean>();

const forms: readonly (readonly [name: RegExp, form: RegExp])[] = [
  [/^(?:phone|telephone|mobile|cellphone|msisdn|fax)$/, /\d/],
  [/^e?mail$/, /@/],
];
const otherwise = /\bnames?\b|\bids?\b|\bcontacts?\b/i;

/**
 * False where the schema of the parameter forbids the value. A schema that points outside itself (`$ref`) is not asked:
 * validation of the whole plan sees to that.
 */
export function allows({ schema }: Parameter, value: unknown): boolean {
  let whole = local.get(schema);
  if (whole === undefined) {
    whole = !JSON.stringify(schema).includes('"$ref"');
    local.set(schema, whole);
  }
  return !whole || validateValue(value, schema as JsonSchema).every((issue) => issue.severity !== "error");
}

/** A name is neither a telephone number nor an address of mail, unless the description says that names are taken. */
export function isOfItsForm({ words, description }: Parameter, value: unknown): boolean {
  const form = forms.find(
    ([name]) => name.test(words.at(-1) ?? "") || (/^number$/.test(words.at(-1) ?? "") && name.test(words.at(-2) ?? "")),
  )?.[1];
  return form === undefined || typeof value !== "string" || form.test(value) || otherwise.test(description);
}
