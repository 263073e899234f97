let turn = 0;

/** Lets all of them forget: what was remembered without a change would hide what a change does. */
export function forgetAll(): void {
  turn++;
}

/** A `WeakMap` of a changed source: such maps remember what was computed of an object, which tests hand in again. */
export class ForgetfulMap<Key extends WeakKey, Value> {
  #turn = turn;
  #map = new WeakMap<Key, Value>();

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

  #current(): WeakMap<Key, Value> {
    if (this.#turn !== turn) {
      this.#turn = turn;
      this.#map = new WeakMap();
    }
    return this.#map;
  }
}
