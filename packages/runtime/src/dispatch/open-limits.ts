import { Limits } from "../core/limits.ts";

/** Limits that count and never refuse: in atomic dispatch the executor of each subgraph keeps the limits. */
export class OpenLimits extends Limits {
  constructor(of: Limits) {
    super(of.options);
  }

  override isFull(): boolean {
    return false;
  }
}

/** The limits of a run for one of its subgraphs, whose tasks run one after the other. */
export class SerialLimits extends Limits {
  readonly #outer: Limits;

  constructor(outer: Limits) {
    super({ ...outer.options, concurrency: 1 });
    this.#outer = outer;
  }

  override isFull(group: number): boolean {
    return super.isFull(group) || this.#outer.isFull(group);
  }

  override take(group: number): void {
    super.take(group);
    this.#outer.take(group);
  }

  override release(group: number): void {
    super.release(group);
    this.#outer.release(group);
  }

  /** The next task of the subgraph continues; it is the run whose slot is taken. */
  override abandon(group: number): void {
    super.release(group);
    this.#outer.abandon(group);
  }

  override settle(group: number): void {
    this.#outer.settle(group);
  }

  override isGivenUp(group: number): boolean {
    return this.#outer.isGivenUp(group);
  }

  override get hasGivenUp(): boolean {
    return this.#outer.hasGivenUp;
  }
}
