import { constants } from "node:buffer";
import { ignoreRejection, isThenable, maxArgumentDepth } from "@planloom/plan";

/** Bytes that an element of a list takes at least, as they are counted here. */
const leastElement = 3;

export interface JsonLimits {
  /** Size as JSON text, in bytes (escapes not counted). */
  readonly maxBytes: number;
  /** NaN and infinities are refused: of what somebody gives, and calls are made with, null would be another value. @default they are null */
  readonly finite?: true;
}

/** Why a value has no JSON copy. */
export class JsonCopyError extends Error {
  override readonly name = "JsonCopyError";
  readonly reason: "not-json" | "too-large";
  /** Where in the value: `rows[3].id`; empty for the value itself. */
  readonly path: string;

  constructor(reason: "not-json" | "too-large", message: string, path: string) {
    super(message);
    this.reason = reason;
    this.path = path;
  }
}

/**
 * A deep copy of `value` as plain JSON, which shares no object with it. Values that JSON lacks are converted where nothing is lost by it,
 * and refused otherwise:
 *
 * | value | becomes |
 * |---|---|
 * | `undefined` | `null`; left out as a property |
 * | NaN, ±Infinity | `null`; refused with `finite` |
 * | -0 | `0` |
 * | bigint | a number where exact, else its digits as text |
 * | Date, anything with `toJSON` | what `toJSON` says |
 * | Map with text keys, Set | an object, an array |
 * | Error | `{ name, message }` |
 * | other instances | their own enumerable properties; refused where they have none (WeakMap, RegExp, Response, private fields alone) |
 * | stream, async generator, iterator | refused, with any properties |
 * | function, symbol, promise, binary data, cycle, deeper than 500 | refused |
 *
 * Promises in a value that is refused are not awaited by anybody, so what they reject with is ignored.
 * @returns the copy and its size as JSON text, in bytes.
 * @throws JsonCopyError
 */
export function jsonCopy(value: unknown, limits: JsonLimits): { value: unknown; bytes: number } {
  // Nearly every task that does nothing says so with these, and most flags and counts are small.
  if (value === null || value === undefined || value === true || value === false) {
    if (limits.maxBytes >= 4) return { value: value ?? null, bytes: 4 };
  }
  const copier = new Copier(limits);
  try {
    const copy = copier.copy(value, 0);
    if (!hasJsonText(copy, copier.bytes)) throw new JsonCopyError("too-large", tooLongText(), "");
    return { value: copy === undefined ? null : copy, bytes: copier.bytes };
  } catch (error) {
    ignorePromisesIn(value);
    throw error;
  }
}

/** Made where it is needed: the first number that a process writes in a language takes it 15 ms, a tenth of its start. */
const tooLongText = () =>
  `Expected at most ${constants.MAX_STRING_LENGTH.toLocaleString("en")} characters of JSON, escapes included, got more.`;
/** An escape such as `\u0001`, for one character. */
const longestEscape = 6;

/**
 * Whether the JSON text of plain JSON is no longer than texts can be; journals and hashes need it as a text.
 * @param bytes its size, escapes not counted. Only a large value is looked at.
 */
export function hasJsonText(value: unknown, bytes: number): boolean {
  if (bytes * longestEscape <= constants.MAX_STRING_LENGTH) return true;
  try {
    JSON.stringify(value);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A copy of a value that is plain JSON already. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) put(copy, key, cloneJson((value as Record<string, unknown>)[key]));
  return copy as T;
}

class Copier {
  bytes = 0;
  readonly #maxBytes: number;
  readonly #finite: boolean;
  readonly #path: (string | number)[] = [];
  readonly #ancestors: object[] = [];

  constructor({ maxBytes, finite }: JsonLimits) {
    this.#maxBytes = maxBytes;
    this.#finite = finite === true;
  }

  /** Returns `undefined` for a value that is left out. */
  copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        this.#count(value.length + 2 > this.#maxBytes ? value.length : Buffer.byteLength(value) + 2);
        return value;
      case "number":
        this.#count(4);
        // JSON has no negative zero: after a resumption it would be another value.
        if (Number.isFinite(value)) return value + 0;
        if (this.#finite) throw this.#refuse(`${value} (a number that JSON does not have)`);
        return null;
      case "boolean":
        this.#count(4);
        return value;
      case "undefined":
        return undefined;
      case "bigint":
        return Number.isSafeInteger(Number(value)) ? this.copy(Number(value), depth) : this.copy(String(value), depth);
      case "object":
        if (value !== null) return this.#object(value, depth);
        this.#count(4);
        return null;
      default:
        throw this.#refuse(`a ${typeof value}`);
    }
  }

  #object(value: object, depth: number): unknown {
    const above = this.#ancestors.indexOf(value);
    if (above !== -1) throw this.#cycle(above);
    if (depth >= maxArgumentDepth) throw this.#refuse(`values nested deeper than ${maxArgumentDepth} levels`);
    this.#ancestors.push(value);
    this.#count(2);
    const copy = Array.isArray(value) ? this.#array(value, depth) : this.#record(value, depth);
    this.#ancestors.pop();
    return copy;
  }

  #array(value: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    // A list of holes costs nothing to make, and minutes to walk.
    if (value.length * leastElement > this.#maxBytes - this.bytes) throw this.#tooLarge();
    for (let index = 0; index < value.length; index++) {
      this.#path.push(index);
      this.#count(1);
      const element = this.copy(value[index], depth + 1);
      if (element === undefined) {
        this.#count(4);
        copy.push(null);
      } else copy.push(element);
      this.#path.pop();
    }
    return copy;
  }

  #record(value: object, depth: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const plain = this.#plain(value);
      if (plain !== value) return this.copy(plain, depth + 1);
      this.#refuseUnshown(value, prototype);
    } else if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
      return this.copy((value as { toJSON(key: string): unknown }).toJSON(""), depth + 1);
    }
    const copy: Record<string, unknown> = {};
    const keys = Object.keys(value);
    for (const key of keys) {
      this.#path.push(key);
      const element = this.copy((value as Record<string, unknown>)[key], depth + 1);
      if (element !== undefined) {
        this.#count(key.length + 4);
        put(copy, key, element);
      }
      this.#path.pop();
    }
    if (keys.length === 0 && typeof Reflect.get(value, Symbol.asyncIterator) === "function") {
      throw this.#refuseStream("an async iterable");
    }
    return copy;
  }

  /** The JSON form of an instance of a class; the instance itself where its own properties are its content. */
  #plain(value: object): unknown {
    if (this.#finite && value instanceof Date && Number.isNaN(value.getTime())) throw this.#refuse("an invalid Date");
    if (typeof (value as { toJSON?: unknown }).toJSON === "function" && !(value instanceof Uint8Array)) {
      return (value as { toJSON(key: string): unknown }).toJSON("");
    }
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return { name: value.name, message: value.message };
    if (value instanceof Map) {
      const keys = [...value.keys()];
      if (!keys.every((key) => typeof key === "string")) throw this.#refuse("a Map whose keys are not strings");
      return Object.fromEntries(value);
    }
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      throw this.#refuse("binary data (return base64 text, or the name of a file)");
    }
    if (isThenable(value)) {
      // It may come from a `toJSON`, where it would be hard to find.
      ignoreRejection(value);
      throw this.#refuse("a promise (await it first)");
    }
    if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
    return value;
  }

  /** Refuses an instance whose content is not in its own properties: its copy would silently be `{}`. */
  #refuseUnshown(value: object, prototype: unknown): void {
    if (typeof Reflect.get(value, Symbol.asyncIterator) === "function") throw this.#refuseStream(classNameOf(value));
    const isIterable = typeof Reflect.get(value, Symbol.iterator) === "function";
    if (isIterable && typeof (value as { next?: unknown }).next === "function") {
      throw this.#refuse(`${classNameOf(value)}, which can be read once (spread it into a list first)`);
    }
    // A plain object of another realm has a prototype that is not ours, and nothing above it.
    if (Object.getPrototypeOf(prototype) === null || Object.keys(value).length > 0) return;
    const advice = "which shows nothing of itself as JSON (return plain values, or give it a toJSON)";
    throw this.#refuse(`${classNameOf(value)}, ${advice}`);
  }

  #refuseStream(what: string): JsonCopyError {
    const advice = "collect them into a list first; parts on the way are for onProgress";
    return this.#refuse(`${what}, whose parts come later (${advice})`);
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.#maxBytes) throw this.#tooLarge();
  }

  #tooLarge(): JsonCopyError {
    const limit = this.#maxBytes.toLocaleString("en");
    return new JsonCopyError("too-large", `Expected at most ${limit} bytes of JSON, got more.`, this.#where());
  }

  /** @param above how deep the object is that the value leads back to */
  #cycle(above: number): JsonCopyError {
    const to = above === 0 ? "the whole value" : shownPath(this.#path.slice(0, above));
    return this.#refuse(`a cycle (it leads back to ${to})`);
  }

  #refuse(what: string): JsonCopyError {
    const where = this.#where();
    return new JsonCopyError("not-json", `Expected a JSON value${where && ` at ${where}`}, got ${what}.`, where);
  }

  #where(): string {
    return shownPath(this.#path);
  }
}

/** Such as `an instance of WeakMap`. */
function classNameOf(value: object): string {
  const { constructor: made } = value as { readonly constructor?: unknown };
  const tag: unknown = Reflect.get(value, Symbol.toStringTag);
  const name = typeof made === "function" && made.name !== "" ? made.name : typeof tag === "string" ? tag : "";
  return name === "" ? "an object of a class without a name" : `an instance of ${name}`;
}

function shownPath(path: readonly (string | number)[]): string {
  const shown = path.slice(0, 20).map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
  return `${shown.join("").replace(/^\./, "")}${path.length > 20 ? "…" : ""}`;
}

/** How many values are searched for promises. Rejections of promises beyond that are reported by the process. */
const mostSearched = 10_000;

/** Nothing of it is asked that could run code: no getter, no `toJSON`. */
function ignorePromisesIn(value: unknown): void {
  const seen = new Set<unknown>();
  const left: unknown[] = [value];
  while (left.length > 0 && seen.size < mostSearched) {
    const next = left.pop();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (next instanceof Promise) next.catch(() => {});
    else left.push(...partsOf(next, mostSearched - seen.size));
  }
}

function partsOf(value: object, most: number): unknown[] {
  try {
    if (value instanceof Map || value instanceof Set) return [...value.values()].slice(0, most);
    if (Array.isArray(value)) return value.slice(0, most);
    return Object.values(Object.getOwnPropertyDescriptors(value))
      .slice(0, most)
      .map((property) => property.value);
  } catch {
    // A proxy whose traps throw.
    return [];
  }
}

/** Defines an own property of any name, also `__proto__`. */
function put(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  } else record[key] = value;
}
