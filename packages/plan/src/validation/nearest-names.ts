/** Longest part of a name that is compared; names longer than this differ soon enough. */
const maxLength = 64;
/** From here on two names are taken for spellings of one thing. */
const likely = 0.5;

export interface NearestNames {
  /** Best first. */
  readonly names: readonly string[];
  /** How alike the best one is: 1 for the same letters and digits, 0 for nothing in common. */
  readonly score: number;
  /** The best one, if it is probably the one that was meant and no other one is as probable. */
  readonly likely?: string;
}

/** The `count` candidates most like `wanted`. O(candidates). */
export function nearestNames(wanted: string, candidates: Iterable<string>, count = 10): NearestNames {
  const scored: { name: string; score: number }[] = [];
  for (const name of candidates) scored.push({ name, score: similarity(wanted, name) });
  scored.sort((a, b) => b.score - a.score);
  const [first] = scored;
  const rival = scored.find(({ name }) => name !== first?.name);
  // Of two that are as like, either may be meant: naming one would be a guess.
  const isClear = first !== undefined && first.score >= likely && (rival === undefined || rival.score < first.score);
  return {
    names: scored.slice(0, count).map(({ name }) => name),
    score: first?.score ?? 0,
    ...(isClear && { likely: first.name }),
  };
}

/** 1 for the same letters and digits, 0 for nothing in common. */
export function similarity(a: string, b: string): number {
  const left = plain(a);
  const right = plain(b);
  if (left === right) return 1;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  if (short.length === 0) return 0;
  const inside = short.length >= 2 && long.includes(short) ? 0.6 + 0.3 * (short.length / long.length) : 0;
  return Math.max(inside, 1 - editDistance(short, long) / long.length);
}

function plain(name: string): string {
  return name
    .slice(0, maxLength)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Letters that are added, left out, changed or swapped with their neighbour (optimal string alignment), one row at a time. */
export function editDistance(a: string, b: string): number {
  let above: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? above[j - 2]! + 1 : change;
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1));
    }
    above = row;
    row = next;
  }
  return row[b.length]!;
}
