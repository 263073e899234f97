/**
 * The elements of a list, of which a few at a time are tasks of the core: each task number means one element until that has ended,
 * then for the next one. So a list of any length costs as much state as elements may be under way at once.
 */
export interface ElementWindow {
  readonly total: number;
  /** 1 for elements that ended before, and are not begun again; absent where none did. */
  readonly done?: Uint8Array | undefined;
  /** So many elements may be lost; with one more, no further element starts. */
  readonly mayLose: number;
  /** The group of each number's resource before Stage 2 has chosen one; absent where that does not change. */
  readonly groups?: Int32Array | undefined;
  /** The element of each number, -1 where it has none. */
  readonly elements: Int32Array;
  /** 1 for numbers whose element has started, be it that it waits again. */
  readonly begun: Uint8Array;
  /** So many of the numbers get an element only while tasks are started ahead. */
  readonly ahead: number;
  /** Numbers that have no element, the one that lost its element last at the end. */
  readonly idle: number[];
  /** The next element that has no number yet. */
  next: number;
  /** Elements that failed, or were skipped otherwise than by what the plan says of them. */
  lost: number;
}

/** More elements are lost than may be: none that has not begun begins. */
export function isLost({ lost, mayLose }: ElementWindow): boolean {
  return lost > mayLose;
}

/** Some of its numbers could have an element. */
export function hasIdle(window: ElementWindow | undefined): boolean {
  return window !== undefined && window.idle.length > 0 && window.next < window.total;
}

/** The number has no element any more. */
export function endElement({ elements, begun, idle }: ElementWindow, number: number): void {
  elements[number] = -1;
  begun[number] = 0;
  idle.push(number);
}

/** @param numbers how many elements are under way at once, with those ahead; at most as many as are left. */
export function elementWindow(
  total: number,
  numbers: number,
  options: Pick<ElementWindow, "done" | "mayLose" | "groups"> & Partial<Pick<ElementWindow, "lost" | "ahead">>,
): ElementWindow {
  const elements = new Int32Array(numbers).fill(-1);
  return { total, lost: 0, ahead: 0, ...options, elements, begun: new Uint8Array(numbers), idle: [], next: 0 };
}
