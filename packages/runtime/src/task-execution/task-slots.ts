/**
 * What is known of some of the tasks, by task number. A plain array rather than a Map: a Map that is filled and emptied
 * all the time leaves tables behind which keep what was in them from the young generation's collector (measured: twice the
 * memory at 100,000 tasks).
 */
export class TaskSlots<T> {
  readonly #values: (T | undefined)[];

  constructor(tasks: number) {
    this.#values = new Array<T | undefined>(tasks).fill(undefined);
  }

  set(task: number, value: T): void {
    this.#values[task] = value;
  }

  has(task: number): boolean {
    return this.#values[task] !== undefined;
  }

  delete(task: number): void {
    this.#values[task] = undefined;
  }

  /** As `values`, each with its task. */
  entries(): [task: number, value: T][] {
    return this.#values.flatMap((value, task) => (value === undefined ? [] : [[task, value] as [number, T]]));
  }

  /** In task order, as a list of its own. O(tasks). */
  values(): T[] {
    return this.#values.filter((value) => value !== undefined);
  }
}
