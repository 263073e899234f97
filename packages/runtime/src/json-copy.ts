/** Deepest nesting of an output. JSON readers elsewhere give up at some depth; far below that, values are still legible. */
const maxDepth = 500;

export interface JsonLimits {
  /** Size as JSON text, in bytes (escapes not counted). */
  readonly maxBytes: number;
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
 * A deep copy of `value` that is plain JSON, shared with nobody. What JSON lacks is converted where nothing is lost by it,
 * and refused otherwise:
 *
 * | value | becomes |
 * |---|---|
 * | `undefined` | `null`; left out as a property |
 * | NaN, ±Infinity | `null` |
 * | bigint | a number where exact, else its digits as text |
 * | Date, anything with `toJSON` | what `toJSON` says |
 * | Map with text keys, Set | an object, an array |
 * | Error | `{ name, message }` |
 * | other instances | their own enumerable properties |
 * | function, symbol, promise, binary data, cycle, deeper than 500 | refused |
 * @returns the copy and its size as JSON text, in bytes.
 * @throws JsonCopyError
 */
export function jsonCopy(value: unknown, limits: JsonLimits): { value: unknown; bytes: number } {
  // Nearly every task that does nothing says so with these, and most flags and counts are small.
  if (value === null || value === undefined || value === true || value === false) {
    if (limits.maxBytes >= 4) return { value: value ?? null, bytes: 4 };
  }
  const copier = new Copier(limits.maxBytes);
  const copy = copier.copy(value, 0);
  return { value: copy === undefined ? null : copy, bytes: copier.bytes };
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
  readonly #path: (string | number)[] = [];
  readonly #ancestors: object[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** `undefined` stands for a value that is left out. */
  copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        this.#count(value.length + 2 > this.#maxBytes ? value.length : Buffer.byteLength(value) + 2);
        return value;
      case "number":
        this.#count(4);
        return Number.isFinite(value) ? value : null;
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
    if (depth >= maxDepth) {
      throw this.#refuse(this.#ancestors.includes(value) ? "a cycle" : `values nested deeper than ${maxDepth} levels`);
    }
    this.#ancestors.push(value);
    this.#count(2);
    const copy = Array.isArray(value) ? this.#array(value, depth) : this.#record(value, depth);
    this.#ancestors.pop();
    return copy;
  }

  #array(value: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < value.length; index++) {
      this.#path.push(index);
      this.#count(1);
      const element = this.copy(value[index], depth + 1);
      copy.push(element === undefined ? null : element);
      this.#path.pop();
    }
    return copy;
  }

  #record(value: object, depth: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const plain = this.#plain(value);
      if (plain !== value) return this.copy(plain, depth + 1);
    } else if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
      return this.copy((value as { toJSON(key: string): unknown }).toJSON(""), depth + 1);
    }
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      this.#path.push(key);
      const element = this.copy((value as Record<string, unknown>)[key], depth + 1);
      if (element !== undefined) {
        this.#count(key.length + 4);
        put(copy, key, element);
      }
      this.#path.pop();
    }
    return copy;
  }

  /** What an instance of a class stands for; itself when its own properties do. */
  #plain(value: object): unknown {
    if (typeof (value as { toJSON?: unknown }).toJSON === "function" && !(value instanceof Uint8Array)) {
      return (value as { toJSON(key: string): unknown }).toJSON("");
    }
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return { name: value.name, message: value.message };
    if (value instanceof Map) {
      const keys = [...value.keys()];
      if (!keys.every((key) => typeof key === "string")) throw this.#refuse("a Map whose keys are no texts");
      return Object.fromEntries(value);
    }
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      throw this.#refuse("binary data (return base64 text, or the name of a file)");
    }
    if (typeof (value as { then?: unknown }).then === "function") throw this.#refuse("a promise (await it first)");
    if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
    return value;
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= this.#maxBytes) return;
    const limit = this.#maxBytes.toLocaleString("en");
    throw new JsonCopyError("too-large", `Expected at most ${limit} bytes of JSON, got more.`, this.#where());
  }

  #refuse(what: string): JsonCopyError {
    const where = this.#where();
    return new JsonCopyError("not-json", `Expected a JSON value${where && ` at ${where}`}, got ${what}.`, where);
  }

  #where(): string {
    const path = this.#path.slice(0, 20).map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
    return `${path.join("").replace(/^\./, "")}${this.#path.length > 20 ? "…" : ""}`;
  }
}

/** Defines an own property, whatever its name. */
function put(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  } else record[key] = value;
}
