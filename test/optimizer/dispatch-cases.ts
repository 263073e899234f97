import { type ExecutionEnvironment, type Partition, repair } from "@planloom/optimizer";
import { type PlanView, planViewFromEdges, viewWithCosts } from "@planloom/plan";
import { type Random, seededRandom } from "../../packages/optimizer/src/random.ts";
import type { DispatchCase } from "./dispatcher-of-the-page.ts";

const environments = ["plain", "slots", "penalty", "classes", "transfers", "all", "streaming"] as const;
type Kind = (typeof environments)[number] | "machines" | "rate" | "pipelined" | "adaptive";

/** A random plan with a random grouping in a random environment of these kinds; whole numbers, so that many times are equal. */
export function randomCase(seed: number, largest: number, kinds: readonly Kind[] = environments): DispatchCase {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const column = (length: number, most: number) => Array.from({ length }, () => below(most + 1));
  const n = 1 + below(largest);
  const density = random() * 0.6;
  const edges: [number, number][] = [];
  for (let to = 1; to < n; to++) for (let from = 0; from < to; from++) if (random() < density) edges.push([from, to]);
  const kind = kinds[below(kinds.length)]!;
  const plan = {
    work: column(n, 9),
    edges,
    ...(random() < 0.5 ? { tokens: column(n, 4), outTokens: column(n, 2) } : {}),
    ...(random() < 0.7 ? { outBytes: column(n, 6) } : {}),
    ...(random() < 0.2 ? { failProb: column(n, 3).map((tenths) => tenths / 10) } : {}),
    ...(random() < 0.7 ? { affinity: column(n, 2) } : {}),
  };
  const given = { ...plan, environment: randomEnvironment(kind, random), part: new Array<number>(n).fill(0) };
  const labels = Array.from({ length: n }, () => below(n));
  const { partition } = repair(
    viewOf(given),
    { ...environmentOf(given), classes: undefined as never },
    labelled(labels),
  );
  const real = random() < (kind === "adaptive" ? 0.9 : 0.3) ? { real: column(n, 9) } : {};
  const ordered =
    kind === "streaming" || kind === "pipelined" || kind === "adaptive" || random() < 0.6
      ? random() < 0.4
        ? ordering(given, partition, random)
        : {}
      : placed(given, partition, random);
  const adaptive = kind === "adaptive" && { adaptive: { toleranceMs: below(4), patienceMs: below(4) } };
  return { ...given, part: [...partition.part], ...real, ...ordered, ...adaptive };
}

function randomEnvironment(kind: Kind, random: Random): DispatchCase["environment"] {
  const below = (count: number) => Math.floor(random() * count);
  if (kind === "rate") {
    const under = randomEnvironment(
      (["plain", "slots", "classes", "transfers", "all", "machines"] as const)[below(6)]!,
      random,
    );
    const classes = under.classes?.map((each) => (random() < 0.5 ? each : { ...each, memoryBytes: 4 + below(20) }));
    const dispatchRate = { limit: 1 + below(3), intervalMs: [1, 3, 8][below(3)]! };
    return { ...under, ...(classes && { classes }), dispatchRate };
  }
  if (kind === "adaptive")
    return { ...randomEnvironment("plain", random), semantics: random() < 0.5 ? "atomic" : "pipelined" };
  if (kind === "pipelined") {
    const under = randomEnvironment((["plain", "slots", "penalty", "classes", "machines"] as const)[below(5)]!, random);
    const { rates: _, latencyMs: __, ...rest } = under;
    const dispatchRate = { limit: 1 + below(3), intervalMs: [1, 3, 8][below(3)]! };
    return { ...rest, semantics: "pipelined", ...(random() < 0.2 && { dispatchRate }) };
  }
  const has = (...kinds: string[]) => kinds.includes(kind);
  const overheadMs = [0, 1, 4][below(3)]!;
  return {
    semantics: kind === "streaming" ? "streaming" : "atomic",
    executors: [1, 2, 3, null][below(4)]!,
    overheadMs,
    ...(has("slots", "all") ? { slots: 2 + below(2) } : {}),
    ...(has("transfers", "all") ? { latencyMs: below(4), bytesPerMs: [0.5, 1, 4][below(3)]! } : {}),
    ...(has("penalty", "all") ? { affinity: "soft", affinityPenaltyMs: below(4) } : {}),
    ...(has("machines") ? machines(random) : {}),
    ...(has("classes", "all")
      ? {
          classes: [
            { count: 1 + below(2), overheadMs: overheadMs + below(5), slots: 1 + below(2), serves: [0, 1] },
            { count: 1 + below(2), overheadMs, baseTokens: 1, contextTokens: 6 + below(10) },
            { count: random() < 0.3 ? null : 1, overheadMs: overheadMs + below(9) },
          ],
        }
      : {}),
  };
}

/** Machines of different speeds, with a rate for each link. Speeds are powers of 2, so that times stay exact. */
function machines(random: Random): Pick<DispatchCase["environment"], "classes" | "rates" | "latencyMs"> {
  const below = (count: number) => Math.floor(random() * count);
  const rate = () => [0.5, 1, 2, 4, null][below(5)]!;
  const classes = Array.from({ length: 1 + below(3) }, () => ({
    count: 1 + below(2),
    overheadMs: below(4),
    speed: [0.5, 1, 2, 4][below(4)]!,
    ...(random() < 0.3 ? { slots: 2 } : {}),
  }));
  return { classes, rates: classes.map(() => classes.map(rate)), latencyMs: below(3) };
}

const labelled = (labels: readonly number[]) => ({ part: Int32Array.from(labels), count: labels.length });

/** A random topological order of the parts. */
function ordering(given: DispatchCase, partition: Partition, random: Random): { order: number[] } {
  const left = new Set(Array.from({ length: partition.count }, (_, p) => p));
  const order: number[] = [];
  while (left.size > 0) {
    const free = [...left].filter((p) =>
      given.edges.every(
        ([u, v]) => partition.part[v] !== p || partition.part[u] === p || !left.has(partition.part[u]!),
      ),
    );
    const next = free[Math.floor(random() * free.length)]!;
    order.push(next);
    left.delete(next);
  }
  return { order };
}

function placed(given: DispatchCase, partition: Partition, random: Random): { order: number[]; placement: number[] } {
  const { classes, executors } = environmentOf(given);
  const count = Math.min(4, classes?.reduce((sum, each) => sum + each.count, 0) ?? executors);
  const placement = Array.from({ length: partition.count }, () => Math.floor(random() * count));
  return { ...ordering(given, partition, random), placement };
}

export function viewOf({ work, edges, tokens, outBytes, outTokens, failProb, affinity }: DispatchCase): PlanView {
  const from = edges.map(([u]) => u);
  const to = edges.map(([, v]) => v);
  return viewWithCosts(planViewFromEdges({ n: work.length, from, to, work }), {
    ...(tokens && { tokens: Float64Array.from(tokens) }),
    ...(outBytes && { outBytes: Float64Array.from(outBytes) }),
    ...(outTokens && { outTokens: Float64Array.from(outTokens) }),
    ...(failProb && { failProb: Float64Array.from(failProb) }),
    ...(affinity && { affinity: Int32Array.from(affinity) }),
  });
}

/** As `completeEnvironment` makes it. */
export function environmentOf({ environment }: DispatchCase): ExecutionEnvironment {
  const { executors, classes, rates, ...rest } = environment;
  const kinds = classes?.map((each, at) => ({
    ...each,
    name: `class ${at}`,
    count: each.count ?? Number.POSITIVE_INFINITY,
  }));
  return {
    ...rest,
    executors: kinds?.reduce((sum, each) => sum + each.count, 0) ?? executors ?? Number.POSITIVE_INFINITY,
    overheadMs: Math.min(...(kinds?.map((each) => each.overheadMs) ?? [rest.overheadMs])),
    ...(kinds === undefined ? {} : { classes: kinds }),
    ...(rates === undefined ? {} : { rates: rates.map((row) => row.map((rate) => rate ?? Number.POSITIVE_INFINITY)) }),
  };
}

export function partitionOf({ part, order, placement }: DispatchCase): Partition {
  return {
    part: Int32Array.from(part),
    count: Math.max(-1, ...part) + 1,
    ...(order && { order: Int32Array.from(order) }),
    ...(placement && { placement: Int32Array.from(placement) }),
  };
}
