import type { WorkloadTask } from "../workload.ts";
import { MS_PER_UNIT, malformed, type TextFormat } from "./text-format.ts";

interface Line {
  readonly workMs: number;
  readonly predecessors: readonly number[];
  /** What each predecessor sends, where the file says so. */
  readonly sent: readonly number[];
}

/**
 * The Standard Task Graph Set of Waseda University (Tobita and Kasahara 2002): the number of tasks, then for every task its number, its
 * processing time, how many predecessors it has and which; in the set with communication costs each predecessor is followed by its
 * cost. The prototype set counts from 1 and has the processors after the number of tasks. Dummy tasks at either end, which take no time and only hold the graph
 * together, are left out. A unit of time is a second and a unit of communication a byte.
 */
export const stg: TextFormat = {
  title: "STG",
  family: "stg",
  recognises(text) {
    const lines = dataOf(text).split("\n").filter(Boolean).slice(0, 3);
    return (
      /^\d+( \d+)?$/.test(lines[0] ?? "") && lines.length > 1 && lines.slice(1).every((line) => /^[\d. ]+$/.test(line))
    );
  },
  read(text, name) {
    const [head = "", ...rest] = dataOf(text).split("\n").filter(Boolean);
    const numbers = rest.join(" ").split(" ").filter(Boolean).map(Number);
    const lines = parse(numbers, 1) ?? parse(numbers, 2);
    const count = Number(head.split(" ")[0]);
    if (lines === undefined) {
      const expected = "task numbers in a row, each with a time, a count and so many predecessors";
      throw malformed("STG", name, "the lines after the first", expected, rest.slice(0, 3).join(" / "));
    }
    const { first, tasks } = lines;
    if (tasks.length < count || tasks.length > count + 2) {
      throw malformed("STG", name, "the first line", `the number of tasks, ${tasks.length}`, head);
    }
    return { tasks: withoutDummies(tasks, first) };
  },
};

/** Without the part for people, which begins with `#`, and with single blanks. */
function dataOf(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*$/, "").trim().replace(/\s+/g, " "))
    .join("\n");
}

/** @param stride numbers a predecessor. @returns `undefined` where the numbers are not tasks in a row with that stride */
function parse(numbers: readonly number[], stride: 1 | 2): { first: number; tasks: Line[] } | undefined {
  const first = numbers[0] ?? Number.NaN;
  if (first !== 0 && first !== 1) return undefined;
  const tasks: Line[] = [];
  let at = 0;
  while (at < numbers.length) {
    const [number, time, count] = numbers.slice(at, at + 3);
    const isTask = number === first + tasks.length && isAmount(time) && isAmount(count) && Number.isInteger(count);
    if (!isTask) return undefined;
    const end = at + 3 + count * stride;
    if (end > numbers.length) return undefined;
    const listed = numbers.slice(at + 3, end);
    const predecessors = listed.filter((_, place) => place % stride === 0);
    if (!predecessors.every(Number.isInteger) || !listed.every(isAmount)) return undefined;
    tasks.push({ workMs: time * MS_PER_UNIT, predecessors, sent: listed.filter((_, place) => place % stride === 1) });
    at = end;
  }
  return { first, tasks };
}

const isAmount = (value: number | undefined): value is number => value !== undefined && value >= 0;

function withoutDummies(lines: readonly Line[], first: number): WorkloadTask[] {
  const hasSuccessor = new Set(lines.flatMap(({ predecessors }) => predecessors));
  const isDummy = ({ workMs, predecessors }: Line, at: number) =>
    workMs === 0 &&
    ((at === 0 && predecessors.length === 0) || (at === lines.length - 1 && !hasSuccessor.has(at + first)));
  const kept = lines.flatMap((line, at) => (isDummy(line, at) ? [] : [{ ...line, number: at + first }]));
  const index = new Map(kept.map(({ number }, at) => [number, at]));
  const outputs = new Map<number, number>();
  for (const { predecessors, sent } of kept) {
    predecessors.forEach((u, at) => {
      outputs.set(u, Math.max(outputs.get(u) ?? 0, sent[at] ?? 0));
    });
  }
  return kept.map(({ number, workMs, predecessors }) => ({
    id: String(number),
    workMs,
    dependencies: predecessors.flatMap((each) => index.get(each) ?? []),
    ...unknownOf(predecessors, first, lines.length),
    ...(outputs.has(number) && { outputBytes: outputs.get(number)! }),
  }));
}

function unknownOf(predecessors: readonly number[], first: number, count: number): { unknown?: string[] } {
  const unknown = predecessors.filter((each) => each < first || each >= first + count).map(String);
  return unknown.length === 0 ? {} : { unknown };
}
