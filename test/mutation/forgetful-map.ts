let turn = 0;

/** Lets all of them forget: what was remembered without a change would hide what a change does. */
export function forgetAll(): void {
  turn++;
}

/** A `WeakMap` of a changed source, or a `Map` that a module begins empty: such maps remember what was computed, which tests ask for again. */
export class ForgetfulMap<Key, Value> {
  #turn = turn;
  #map = new Map<Key, Value>();

  get size(): number {
    return this.#current().size;
  }

  get(key: Key): Value | undefined {
    return this.#current().get(key);
  }

  has(key: Key): boolean {
    return this.#current().has(key);
  }

  set(key: Key, value: Value): this {
    this.#current().set(key, value);
    return this;
  }

  delete(key: Key): boolean {
    return this.#current().delete(key);
  }

  #current(): Map<Key, Value> {
    if (this.#turn !== turn) {
      this.#turn = turn;
      this.#map = new Map();
    }
    return this.#map;
  }
}
