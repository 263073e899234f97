/** Which calls of a run are under way, so that the record of a task settles its own only where there is one: nearly all tasks have none. */
export class PendingKeys {
  /** By run; absent for a run that this journal has neither begun nor opened. */
  readonly #keys = new Map<string, Set<string>>();

  /** This journal begins or opens the run. @param keys those that are in the journal already */
  open(runId: string, keys: Iterable<string> = []): void {
    this.#keys.set(runId, new Set(keys));
  }

  add(runId: string, key: string): void {
    this.#keys.get(runId)?.add(key);
  }

  /** Whether something may be pending under the key; it is settled then. */
  settle(runId: string, key: string): boolean {
    return this.#keys.get(runId)?.delete(key) ?? true;
  }

  close(runId: string): void {
    this.#keys.delete(runId);
  }
}
