import { deepStrictEqual, fail, ok } from "node:assert/strict";
import { inspect } from "node:util";
import { isRecord } from "@planloom/plan";
import { RuntimeError } from "@planloom/runtime";

/** Both are equal as JSON: a property that is undefined is as one that is absent. */
export function same(actual: unknown, expected: unknown, message?: string): void {
  deepStrictEqual(asJson(actual), asJson(expected), message);
}

/** `actual` has every property of `expected`, to any depth; a list has as many elements. */
export function fits(actual: unknown, expected: unknown, where = "the value"): void {
  if (Array.isArray(expected)) {
    ok(Array.isArray(actual), `Expected ${where} to be a list, got ${inspect(actual)}.`);
    deepStrictEqual(
      actual.length,
      expected.length,
      `Expected ${expected.length} elements in ${where}, got ${actual.length}.`,
    );
    for (const [at, element] of expected.entries()) fits(actual[at], element, `${where}[${at}]`);
  } else if (isRecord(expected)) {
    ok(isRecord(actual), `Expected ${where} to be an object, got ${inspect(actual)}.`);
    for (const [key, value] of Object.entries(expected)) fits(actual[key], value, `${where}.${key}`);
  } else {
    const message = `Expected ${where} to be ${inspect(expected)}, got ${inspect(actual)}.`;
    deepStrictEqual(actual, expected, message);
  }
}

/** `call` rejects with a `RuntimeError` of this code. */
export async function refuses(call: Promise<unknown>, code: string, details: object = {}): Promise<void> {
  const thrown = await call.then(
    (value) => fail(`Expected it to reject with ${code}, it resolved with ${inspect(value, { depth: 1 })}.`),
    (error: unknown) => error,
  );
  ok(thrown instanceof RuntimeError, `Expected it to reject with a RuntimeError ${code}, got ${inspect(thrown)}.`);
  const message = `Expected the code ${code}, got ${thrown.code}: ${thrown.message}`;
  deepStrictEqual(thrown.code, `RUNTIME_${code}`, message);
  fits(thrown.details, details, "details");
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
