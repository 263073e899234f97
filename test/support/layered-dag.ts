/** Dependencies of each task of a random DAG in layers: every task has 1 to 3 parents in the layer above. Seeded. */
export function layeredDag({ tasks, width, seed }: { tasks: number; width: number; seed: number }): number[][] {
  const random = mulberry32(seed);
  return Array.from({ length: tasks }, (_, task) => {
    const layer = Math.floor(task / width);
    if (layer === 0) return [];
    const parents = new Set<number>();
    const count = 1 + Math.floor(random() * 3);
    for (let i = 0; i < count; i++) parents.add((layer - 1) * width + Math.floor(random() * width));
    return [...parents];
  });
}

/** A small seeded generator, 0 up to 1. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
