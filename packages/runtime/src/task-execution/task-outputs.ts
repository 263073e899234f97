/** Outputs and inputs below this many characters of JSON always stay in memory. */
export const largeValue = 16 * 1024;

/** Where outputs are that left memory, and how much of memory large ones may take. */
export interface OutputStore {
  /** Reads the output of a task that the journal was given. */
  read(taskId: string): Promise<unknown>;
  /** Bytes of JSON that large outputs and inputs of ended tasks may take in memory before the oldest leave it. */
  readonly memoryBytes: number;
}

/**
 * Outputs of completed tasks by number. Where there is a store that can give them back, large ones leave memory once the
 * store has them and more than `memoryBytes` are there, the longest unused first; they come back for the tasks that read them.
 */
export class TaskOutputs {
  readonly #values: unknown[];
  /** Size of large outputs that are in the store alone. */
  readonly #stored = new Map<number, number>();
  /** Large outputs in memory that the store has too, the longest unused first, with what letting go of each frees. */
  readonly #resident = new Map<number, { readonly outputBytes: number; readonly inputBytes: number }>();
  #residentBytes = 0;
  #store: OutputStore | undefined;
  /** Lets go of what else is kept of a task whose input is large. */
  #forgetInput: (task: number) => void = () => {};
  /** Read for the task that is prepared just now. */
  #held: ReadonlyMap<number, unknown> | undefined;
  /** Notes whose outputs are asked for and are in the store alone. */
  #missed: Set<number> | undefined;
  /** @param tasks how many there are. */
  constructor(tasks: number) {
    this.#values = new Array<unknown>(tasks).fill(undefined);
  }

  /** That many tasks were added. */
  grow(tasks: number): void {
    for (let added = 0; added < tasks; added++) this.#values.push(undefined);
  }

  /** From here on large outputs may leave memory. @param forgetInput lets go of the large input of an ended task */
  keepIn(store: OutputStore, forgetInput: (task: number) => void): void {
    this.#store = store;
    this.#forgetInput = forgetInput;
  }

  /** True where outputs may leave memory. */
  get mayLeave(): boolean {
    return this.#store !== undefined;
  }

  /** `undefined` for one that is in the store alone, unless it is held. */
  get(task: number): unknown {
    if (!this.#stored.has(task)) return this.#values[task];
    if (this.#held?.has(task)) return this.#held.get(task);
    this.#missed?.add(task);
    return undefined;
  }

  set(task: number, output: unknown): void {
    this.#values[task] = output;
    this.#stored.delete(task);
  }

  /** The output was completed in an earlier session, and is in the store alone. */
  setStored(task: number, bytes: number): void {
    this.#stored.set(task, bytes);
  }

  /** Size of all large outputs, wherever they are. */
  get largeBytes(): number {
    let bytes = 0;
    for (const stored of this.#stored.values()) bytes += stored;
    for (const { outputBytes } of this.#resident.values()) bytes += outputBytes;
    return bytes;
  }

  /** Size of an output that is in the store alone. */
  storedBytes(task: number): number | undefined {
    return this.#stored.get(task);
  }

  /** The store has the output now, and the task has ended. Sizes below `largeValue` do not count. */
  committed(task: number, outputBytes: number, inputBytes: number): void {
    if (this.#store === undefined || (outputBytes < largeValue && inputBytes < largeValue)) return;
    this.#keep(task, outputBytes, inputBytes);
    for (const oldest of this.#resident.keys()) {
      if (this.#residentBytes <= this.#store.memoryBytes) break;
      this.#leave(oldest);
    }
  }

  /** Tasks whose outputs `reading` asks for and that are in the store alone. */
  missedBy(reading: () => void): readonly number[] {
    if (this.#stored.size === 0) return [];
    const missed = new Set<number>();
    this.#missed = missed;
    try {
      reading();
    } finally {
      this.#missed = undefined;
    }
    return [...missed];
  }

  /** Reads outputs back. @throws what the store throws */
  async load(tasks: readonly number[], idOf: (task: number) => string): Promise<ReadonlyMap<number, unknown>> {
    const loaded = new Map<number, unknown>();
    for (const task of tasks) {
      const bytes = this.#stored.get(task);
      if (bytes === undefined) {
        loaded.set(task, this.#values[task]);
        continue;
      }
      const output = await this.#store?.read(idOf(task));
      loaded.set(task, output);
      // Another task may want it soon.
      this.set(task, output);
      this.committed(task, bytes, 0);
    }
    return loaded;
  }

  /** Does `work` with outputs that were read for it. */
  holding<T>(loaded: ReadonlyMap<number, unknown>, work: () => T): T {
    this.#held = loaded;
    try {
      return work();
    } finally {
      this.#held = undefined;
    }
  }

  /** Lets go of every large output, but those of `except`. */
  leaveAll(except: (task: number) => boolean): void {
    for (const task of [...this.#resident.keys()]) {
      if (!except(task)) this.#leave(task);
    }
  }

  /** Reads back and keeps the outputs that `wanted` names, however much memory that takes. */
  async bringBack(wanted: (task: number) => boolean, idOf: (task: number) => string): Promise<void> {
    for (const task of [...this.#stored.keys()]) {
      if (wanted(task)) this.set(task, await this.#store?.read(idOf(task)));
    }
  }

  #keep(task: number, outputBytes: number, inputBytes: number): void {
    const size = { outputBytes: large(outputBytes), inputBytes: large(inputBytes) };
    this.#residentBytes += size.outputBytes + size.inputBytes;
    this.#resident.set(task, size);
  }

  #leave(task: number): void {
    const { outputBytes, inputBytes } = this.#resident.get(task)!;
    this.#resident.delete(task);
    this.#residentBytes -= outputBytes + inputBytes;
    if (inputBytes > 0) this.#forgetInput(task);
    if (outputBytes === 0) return;
    this.#values[task] = undefined;
    this.#stored.set(task, outputBytes);
  }
}

function large(bytes: number): number {
  return bytes < largeValue ? 0 : bytes;
}
