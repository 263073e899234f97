const maxCandidates = 10;

/** At most 10 of `ids`, those that share most three-letter pieces with `wanted` first; equal ones in the order given. */
export function closestIds(wanted: string, ids: readonly string[]): string[] {
  const pieces = trigrams(wanted);
  const scored = ids.map((id, index) => {
    const own = trigrams(id);
    let shared = 0;
    for (const piece of own) if (pieces.has(piece)) shared += 1;
    return { id, index, score: shared / Math.max(1, own.size + pieces.size - shared) };
  });
  scored.sort((a, b) => b.score - a.score || a.index - b.index);
  return scored.slice(0, maxCandidates).map(({ id }) => id);
}

function trigrams(text: string): Set<string> {
  const padded = `  ${text.slice(0, 256).toLowerCase()} `;
  const pieces = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) pieces.add(padded.slice(at, at + 3));
  return pieces;
}
