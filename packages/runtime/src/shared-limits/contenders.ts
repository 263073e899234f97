/** The runs that use or want slots of some limits at present. */
export class Contenders {
  readonly #listeners = new Set<() => void>();
  #runs = 0;
  #hasOthers = false;

  /** Runs of this process. */
  get runs(): number {
    return this.#runs;
  }

  /** Other processes want slots that this one has. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  /** @param by 1 when a run begins to use or want slots, -1 when it does no more */
  change(by: 1 | -1): void {
    this.#runs += by;
    if (by === 1 && this.#runs === 2) this.#notify();
  }

  setOthers(hasOthers: boolean): void {
    const hadOthers = this.#hasOthers;
    this.#hasOthers = hasOthers;
    if (hasOthers && !hadOthers) this.#notify();
  }

  /** @param listener called when a run that had the slots to itself may have them so no longer @returns what ends it */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
