// A second simulator, written from docs/optimizer/formulation.md ("The dispatcher") alone: it shares no code with the package and scans
// where the package has heaps. Its input and output are those of docs/optimizer/dispatch-vectors.json.

export interface VectorClass {
  readonly count: number | null;
  readonly overheadMs: number;
  readonly slots?: number;
  readonly speed?: number;
  readonly serves?: readonly number[];
  readonly baseTokens?: number;
  readonly contextTokens?: number;
  readonly memoryBytes?: number;
}

/** A plan, where it is dispatched, and how it is grouped. `null` stands for no limit. */
export interface DispatchCase {
  /** One entry a task. */
  readonly work: readonly number[];
  readonly tokens?: readonly number[];
  readonly outBytes?: readonly number[];
  readonly outTokens?: readonly number[];
  readonly failProb?: readonly number[];
  readonly affinity?: readonly number[];
  /** `[dependency, dependent]`. */
  readonly edges: readonly (readonly [number, number])[];
  readonly environment: {
    readonly semantics: "atomic" | "pipelined" | "streaming";
    readonly executors: number | null;
    readonly overheadMs: number;
    readonly slots?: number;
    readonly latencyMs?: number;
    readonly bytesPerMs?: number;
    readonly affinity?: "soft";
    readonly affinityPenaltyMs?: number;
    readonly classes?: readonly VectorClass[];
    readonly dispatchRate?: { readonly limit: number; readonly intervalMs: number };
    /** `null` for no limit. */
    readonly rates?: readonly (readonly (number | null)[])[];
  };
  readonly part: readonly number[];
  readonly order?: readonly number[];
  readonly placement?: readonly number[];
  /** What the tasks really take, where that is not `work`. */
  readonly real?: readonly number[];
  /** What was not dispatched may be regrouped. */
  readonly adaptive?: { readonly toleranceMs: number; readonly patienceMs: number };
}

export interface Times {
  readonly startMs: number[];
  readonly endMs: number[];
  /** By task the subgraph in which it ran, where dispatch is adaptive. */
  readonly ranIn?: number[];
}

const unlimited = (value: number | null | undefined) => value ?? Number.POSITIVE_INFINITY;
const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);

class Plan {
  readonly given: DispatchCase;
  readonly n: number;
  readonly count: number;
  readonly needs: number[][];
  readonly feeds: number[][];
  readonly topo: number[];
  readonly position: number[];
  readonly partNeeds: Set<number>[];
  readonly partFeeds: Set<number>[];
  readonly members: number[][];

  constructor(given: DispatchCase) {
    this.given = given;
    this.n = given.work.length;
    this.count = Math.max(-1, ...given.part) + 1;
    const ascending = (left: number, right: number) => left - right;
    this.needs = range(this.n).map((v) => [...new Set(given.edges.filter(([, to]) => to === v).map(([from]) => from))]);
    this.feeds = range(this.n).map((v) => [...new Set(given.edges.filter(([from]) => from === v).map(([, to]) => to))]);
    for (const list of [...this.needs, ...this.feeds]) list.sort(ascending);
    this.topo = this.#topo();
    this.position = this.#positions();
    const listedInOrder = given.edges.every(([from, to]) => from < to);
    const summing = listedInOrder ? range(this.n) : this.topo;
    this.members = range(this.count).map((p) => summing.filter((v) => given.part[v] === p));
    const parts = (p: number, tasks: number[][]) =>
      new Set(this.members[p]!.flatMap((v) => tasks[v]!.map((u) => given.part[u]!)).filter((q) => q !== p));
    this.partNeeds = range(this.count).map((p) => parts(p, this.needs));
    this.partFeeds = range(this.count).map((p) => parts(p, this.feeds));
  }

  #topo(): number[] {
    const missing = this.needs.map((list) => list.length);
    const order = range(this.n).filter((v) => missing[v] === 0);
    for (let at = 0; at < order.length; at++)
      for (const w of this.feeds[order[at]!]!) if (--missing[w]! === 0) order.push(w);
    return order;
  }

  #positions(): number[] {
    const { given, n } = this;
    const zero = new Array<number>(n).fill(0);
    let colour = given.work.map(own);
    for (const column of [given.tokens, given.outBytes, given.outTokens, given.failProb]) {
      if ((column ?? zero).every((value) => value === 0)) continue;
      colour = colour.map((each, v) => mix(Math.imul(each, 31) ^ own(column![v]!)));
    }
    const kinds = given.affinity ?? zero;
    if (new Set(kinds).size > 1) {
      const before = colour;
      colour = colour.map((each, v) => {
        const all = sum(before.map((other, w) => (kinds[w] === kinds[v] ? mix(other) : 0)));
        return mix(Math.imul(each, 31) ^ mix(all % 2 ** 32));
      });
    }
    const sweep = (order: readonly number[], neighbours: number[][], salt: number) => {
      for (const v of order) {
        const all = sum(neighbours[v]!.map((w) => mix(colour[w]! ^ salt))) % 2 ** 32;
        colour[v] = mix((Math.imul(colour[v]!, 31) >>> 0) + mix(all ^ neighbours[v]!.length));
      }
    };
    sweep(this.topo, this.needs, 0x9e3779b9);
    sweep(this.topo.toReversed(), this.feeds, 0x85ebca6b);
    sweep(this.topo, this.needs, 0x9e3779b9);
    const sorted = range(n).sort((left, right) => colour[left]! - colour[right]! || left - right);
    const place = new Map(sorted.map((v, at) => [v, at]));
    const walk: number[] = [];
    for (const start of sorted) {
      if (walk.includes(start)) continue;
      let at = walk.push(start) - 1;
      for (; at < walk.length; at++) {
        const v = walk[at]!;
        const found = [...this.needs[v]!, ...this.feeds[v]!].filter((w) => !walk.includes(w));
        walk.push(...found.sort((left, right) => place.get(left)! - place.get(right)!));
      }
    }
    return range(n).map((v) => walk.indexOf(v));
  }

  /** Which of two tasks of a subgraph an executor runs first under pipelined dispatch. */
  goesFirst = (one: number, two: number): number => {
    const remaining = (v: number): number => Math.max(0, ...this.feeds[v]!.map(remaining)) + this.given.work[v]!;
    const level = (v: number): number => Math.max(-1, ...this.needs[v]!.map(level)) + 1;
    return remaining(two) - remaining(one) || level(one) - level(two) || this.position[one]! - this.position[two]!;
  };

  /** The parts, highest priority first. */
  byPriority(overheadMs: number): number[] {
    const ranks = new Map<number, number>();
    const rank = (p: number): number => {
      let known = ranks.get(p);
      if (known === undefined) {
        known =
          Math.max(0, ...[...this.partFeeds[p]!].map(rank)) +
          sum(this.members[p]!.map((v) => this.given.work[v]!)) +
          overheadMs;
        ranks.set(p, known);
      }
      return known;
    };
    const first = (p: number) => Math.min(...this.members[p]!.map((v) => this.position[v]!));
    return range(this.count).sort((left, right) => rank(right) - rank(left) || first(left) - first(right));
  }
}

function own(value: number): number {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, value);
  return mix(bytes.getUint32(4) ^ mix(bytes.getUint32(0)));
}

function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** When every part starts and ends. */
export function dispatched(given: DispatchCase): Times {
  const plan = new Plan(given);
  if (given.adaptive !== undefined) return regrouped(given, given.adaptive);
  if (given.environment.semantics === "streaming") return streamed(plan);
  if (given.environment.semantics === "pipelined") return chosenByDispatcher(plan);
  return given.placement === undefined ? chosenByDispatcher(plan) : asPlaced(plan, given.placement);
}

/** Adaptive dispatch. Each regrouping makes a case of its own, of which priorities and orders of tasks are those of its plan. */
function regrouped(given: DispatchCase, { toleranceMs, patienceMs }: NonNullable<DispatchCase["adaptive"]>): Times {
  const { work, real = work, environment } = given;
  const { overheadMs } = environment;
  const executors = unlimited(environment.executors);
  const isPipelined = environment.semantics === "pipelined";
  let plan = new Plan(given);
  let part = [...given.part];
  let departed = false;
  let now = 0;
  const start = new Map<number, number>();
  const end = new Map<number, number>();
  const published = new Map<number, number>();
  const inTurn = (p: number) => (isPipelined ? plan.members[p]!.toSorted(plan.goesFirst) : plan.members[p]!);
  const estimate = (p: number) => sum(inTurn(p).map((v) => work[v]!)) + overheadMs;
  const there = new Set<number>();
  const ended = new Set<number>();
  const isThere = (v: number) => there.has(v);
  const runs = (p: number) => start.has(p) && !ended.has(p);
  const running = () => [...start.keys()].filter(runs);
  const needsOfOthers = (v: number) => plan.needs[v]!.filter((u) => part[u] !== part[v]);
  const isReady = (p: number) => plan.members[p]!.every((v) => needsOfOthers(v).every(isThere));
  const give = (tasks: readonly number[]): number => {
    const made = plan.count;
    part = part.map((p, v) => (tasks.includes(v) ? made : p));
    plan = new Plan({ ...given, part });
    return made;
  };
  const couldStart = (p: number, chosen: readonly number[]): number[] => {
    const found: number[] = [];
    for (const v of inTurn(p)) if (plan.needs[v]!.every((u) => isThere(u) || found.includes(u))) found.push(v);
    const left = (q: number) => {
      if (chosen.includes(q)) return estimate(q);
      if (!start.has(q)) return Infinity;
      if (!runs(q)) return 0;
      const elapsed = now - start.get(q)!;
      return elapsed < estimate(q) ? estimate(q) - elapsed : elapsed / 2;
    };
    const others = plan.members[p]!.filter((v) => !found.includes(v));
    const waits = others.flatMap((v) => needsOfOthers(v).filter((u) => !isThere(u)));
    return waits.some((u) => left(part[u]!) > patienceMs) ? found : [];
  };
  const half = (p: number): number[] => {
    const tasks = inTurn(p);
    let pieces = tasks.map((v) => [v]);
    for (const v of tasks) {
      const linked = pieces.filter((piece) => piece.some((u) => u === v || plan.feeds[v]!.includes(u)));
      pieces = [...pieces.filter((piece) => !linked.includes(piece)), linked.flat()];
    }
    const sorted = pieces.map((piece) => tasks.filter((v) => piece.includes(v)));
    const size = (piece: readonly number[]) => sum(piece.map((v) => work[v]!));
    sorted.sort((one, two) => size(two) - size(one) || tasks.indexOf(one[0]!) - tasks.indexOf(two[0]!));
    let [stays, goes] = [0, 0];
    const gone: number[] = [];
    for (const piece of sorted) {
      if (stays <= goes) stays += size(piece);
      else {
        goes += size(piece);
        gone.push(...piece);
      }
    }
    return gone.length === 0 || Math.min(stays, goes) < patienceMs ? [] : gone;
  };
  for (;;) {
    const chosen: number[] = [];
    const left = () => executors - running().length - chosen.filter((p) => !start.has(p)).length;
    const open = () =>
      ((!departed && given.order) || plan.byPriority(overheadMs)).filter((p) => !start.has(p) && !chosen.includes(p));
    for (const p of open()) {
      if (left() > 0 && isReady(p)) chosen.push(p);
      else if (!departed && given.order !== undefined) break;
    }
    for (let found: number[] | undefined = []; departed && left() > 0 && found !== undefined; ) {
      found = open()
        .map((p) => couldStart(p, chosen))
        .find((tasks) => tasks.length > 0);
      if (found !== undefined) chosen.push(give(found));
    }
    for (const p of chosen) {
      const gone = departed && left() > 0 ? half(p) : [];
      if (gone.length > 0) chosen.push(give(gone));
      start.set(p, now);
      const tasks = inTurn(p);
      const ends = tasks.map((_, at) => now + (sum(tasks.slice(0, at + 1).map((v) => real[v]!)) + overheadMs));
      end.set(p, ends.at(-1)!);
      for (const [at, v] of tasks.entries()) published.set(v, isPipelined ? ends[at]! : ends.at(-1)!);
    }
    const overdue = (p: number) => start.get(p)! + estimate(p) + toleranceMs;
    const later = running().map((p) => end.get(p)!);
    later.push(...[...published].filter(([v]) => !isThere(v)).map(([, ms]) => ms));
    if (!departed) later.push(...running().map(overdue));
    if (later.length === 0) {
      const inOrder = (times: Map<number, number>) => range(plan.count).map((p) => times.get(p)!);
      return { startMs: inOrder(start), endMs: inOrder(end), ranIn: part };
    }
    now = Math.min(...later);
    for (const [v, ms] of published) if (ms === now) there.add(v);
    for (const p of running().filter((each) => end.get(each) === now)) {
      ended.add(p);
      if (Math.abs(now - start.get(p)! - estimate(p)) > toleranceMs) departed = true;
    }
    if (running().some((p) => overdue(p) <= now)) departed = true;
  }
}

function classesOf({ given: { environment } }: Plan): VectorClass[] {
  const { executors, overheadMs, slots } = environment;
  return [...(environment.classes ?? [{ count: executors, overheadMs, ...(slots === undefined ? {} : { slots }) }])];
}

/** Milliseconds of a part on a class, or until one of its tasks ends there. */
function takes(plan: Plan, p: number, kind: VectorClass, work: readonly number[], task?: number): number {
  const { affinity, environment } = plan.given;
  const kinds = new Set(plan.members[p]!.map((v) => affinity?.[v] ?? 0)).size;
  const penalty = environment.affinity === "soft" ? (kinds - 1) * (environment.affinityPenaltyMs ?? 0) : 0;
  const ends = taskEnds(plan, p, kind.slots ?? 1, work);
  const end = task === undefined ? Math.max(0, ...ends.values()) : ends.get(task)!;
  return end / (kind.speed ?? 1) + kind.overheadMs + penalty;
}

/** When each task of a part ends, counted from the start of the first. */
function taskEnds(plan: Plan, p: number, slots: number, work: readonly number[]): Map<number, number> {
  const members = plan.members[p]!;
  if (slots === 1) {
    const inTurn = plan.given.environment.semantics === "pipelined" ? members.toSorted(plan.goesFirst) : members;
    return new Map(inTurn.map((v, at) => [v, sum(inTurn.slice(0, at + 1).map((each) => work[each]!))]));
  }
  const within = (list: number[]) => list.filter((v) => members.includes(v));
  const remaining = (v: number): number => Math.max(0, ...within(plan.feeds[v]!).map(remaining)) + plan.given.work[v]!;
  const first = (left: number, right: number) =>
    remaining(right) - remaining(left) || plan.position[left]! - plan.position[right]!;
  const end = new Map<number, number>();
  const done = new Set<number>();
  for (let now = 0; ; ) {
    for (const [v, time] of end) if (time === now) done.add(v);
    for (;;) {
      const running = [...end.keys()].filter((v) => !done.has(v)).length;
      const free = members.filter((v) => !end.has(v) && within(plan.needs[v]!).every((u) => done.has(u))).sort(first);
      if (running >= slots || free.length === 0) break;
      end.set(free[0]!, now + work[free[0]!]!);
    }
    const later = [...end].filter(([v]) => !done.has(v)).map(([, time]) => time);
    if (later.length === 0) return end;
    now = Math.min(...later);
  }
}

function mayRun(plan: Plan, p: number): number[] {
  const { tokens, outTokens, outBytes, affinity, part } = plan.given;
  const classes = classesOf(plan);
  const foreign = new Set(plan.members[p]!.flatMap((v) => plan.needs[v]!).filter((u) => part[u] !== p));
  const prompt = sum(plan.members[p]!.map((v) => tokens?.[v] ?? 0)) + sum([...foreign].map((u) => outTokens?.[u] ?? 0));
  const held = sum([...plan.members[p]!, ...foreign].map((u) => outBytes?.[u] ?? 0));
  const may = range(classes.length).filter((at) => {
    const { serves, baseTokens = 0, contextTokens, memoryBytes } = classes[at]!;
    if (serves !== undefined && !plan.members[p]!.every((v) => serves.includes(affinity?.[v] ?? 0))) return false;
    return baseTokens + prompt <= unlimited(contextTokens) && held <= unlimited(memoryBytes);
  });
  return may.length === 0 ? range(classes.length) : may;
}

function transferMs(plan: Plan, from: number, to: number, fromClass: number, toClass: number): number {
  const { environment, outBytes, part } = plan.given;
  const read = plan.members[from]!.filter((u) => plan.feeds[u]!.some((v) => part[v] === to));
  const rate = environment.rates === undefined ? environment.bytesPerMs : environment.rates[fromClass]![toClass];
  return (environment.latencyMs ?? 0) + sum(read.map((u) => outBytes?.[u] ?? 0)) / unlimited(rate);
}

/** When the rate lets the next dispatch begin, after those of the sequence. */
function opensMs(plan: Plan, sequence: readonly number[]): number {
  const { dispatchRate } = plan.given.environment;
  const before = dispatchRate && sequence.at(-dispatchRate.limit);
  return before === undefined || sequence.length < dispatchRate!.limit ? 0 : before + dispatchRate!.intervalMs;
}

function chosenByDispatcher(plan: Plan): Times {
  const { given, count } = plan;
  const { environment, order, real = given.work } = given;
  const classes = classesOf(plan);
  const may = range(count).map((p) => mayRun(plan, p));
  const estimate = range(count).map((p) => classes.map((kind) => takes(plan, p, kind, given.work)));
  const reality = range(count).map((p) => classes.map((kind) => takes(plan, p, kind, real)));
  const priority = plan.byPriority(Math.min(...classes.map((kind) => kind.overheadMs)));
  const started = new Map<number, { kind: number; start: number; end: number; estimated: number }>();
  const ended = new Set<number>();
  const running = (kind: number) =>
    [...started].filter(([p, each]) => each.kind === kind && !ended.has(p)).map(([, each]) => each);
  const isFree = (kind: number) => running(kind).length < unlimited(classes[kind]!.count);
  const choice = (p: number, now: number) => {
    const at = (kind: number) =>
      isFree(kind) ? now : Math.min(...running(kind).map(({ estimated }) => Math.max(now, estimated)));
    return may[p]!.map((kind) => ({ kind, free: isFree(kind), end: at(kind) + estimate[p]![kind]! })).sort(
      (one, two) => one.end - two.end || Number(two.free) - Number(one.free) || one.kind - two.kind,
    )[0]!;
  };
  /** Starts `p` unless it prefers to wait. */
  const start = (p: number, now: number): boolean => {
    if (
      opensMs(
        plan,
        [...started.values()].map((each) => each.start),
      ) > now
    )
      return false;
    const { kind, free } = choice(p, now);
    if (!free) return false;
    started.set(p, { kind, start: now, end: now + reality[p]![kind]!, estimated: now + estimate[p]![kind]! });
    if (isPipelined) for (const v of plan.members[p]!) published.set(v, now + takes(plan, p, classes[kind]!, real, v));
    return true;
  };
  const isPipelined = environment.semantics === "pipelined";
  const published = new Map<number, number>();
  const isRead = (v: number, p: number) =>
    given.part[v] !== p && plan.members[p]!.some((w) => plan.needs[w]!.includes(v));
  const inputs = range(count).map((p) => range(plan.n).filter((v) => isRead(v, p)));
  const isThere = new Set<number>();
  const waits = (p: number) =>
    !started.has(p) &&
    (isPipelined ? inputs[p]!.every((v) => isThere.has(v)) : [...plan.partNeeds[p]!].every((q) => ended.has(q)));
  for (let now = 0; ; ) {
    for (const [p, each] of started) if (each.end === now) ended.add(p);
    for (const [v, there] of published) if (there === now) isThere.add(v);
    if (order === undefined) for (const p of priority) if (waits(p)) start(p, now);
    if (order !== undefined) for (const p of order) if (!started.has(p) && !(waits(p) && start(p, now))) break;
    const later = [...started].filter(([p]) => !ended.has(p)).map(([, each]) => each.end);
    later.push(...[...published].filter(([v]) => !isThere.has(v)).map(([, there]) => there));
    const opens = opensMs(
      plan,
      [...started.values()].map((each) => each.start),
    );
    if (started.size < count && opens > now) later.push(opens);
    if (later.length === 0) break;
    now = Math.min(...later);
  }
  const base = range(count).map((p) => started.get(p)!);
  const { latencyMs = 0, bytesPerMs, rates } = environment;
  if (latencyMs === 0 && bytesPerMs === undefined && rates === undefined)
    return { startMs: base.map((each) => each.start), endMs: base.map((each) => each.end) };

  const startMs = new Array<number>(count).fill(0);
  const endMs = new Array<number>(count).fill(0);
  const ranOn = new Map<number, string>();
  const freeMs = new Map<string, number>();
  let before = 0;
  const sequence: number[] = [];
  for (const p of started.keys()) {
    const { kind } = base[p]!;
    const earliest = Math.max(base[p]!.start, opensMs(plan, sequence));
    // One that has run nothing is as good as any other such, so one more than are in use is enough.
    const used = [...freeMs.keys()].filter((name) => name.startsWith(`${kind} `)).length;
    const offers = range(Math.min(used + 1, unlimited(classes[kind]!.count))).map((number) => {
      const name = `${kind} ${number}`;
      const free = freeMs.get(name) ?? 0;
      const there = [...plan.partNeeds[p]!].map(
        (q) => endMs[q]! + (ranOn.get(q) === name ? 0 : transferMs(plan, q, p, base[q]!.kind, kind)),
      );
      return { name, number, free, start: Math.max(earliest, free, ...there, order === undefined ? 0 : before) };
    });
    const best = offers.sort((one, two) => one.start - two.start || one.free - two.free || one.number - two.number)[0]!;
    startMs[p] = best.start;
    endMs[p] = best.start + reality[p]![kind]!;
    ranOn.set(p, best.name);
    freeMs.set(best.name, endMs[p]!);
    before = best.start;
    sequence.push(best.start);
  }
  return { startMs, endMs };
}

function asPlaced(plan: Plan, placement: readonly number[]): Times {
  const { given, count } = plan;
  const classes = classesOf(plan);
  const kindOf = (executor: number) => {
    let first = executor;
    return classes.findIndex((kind) => {
      if (first < unlimited(kind.count)) return true;
      first -= unlimited(kind.count);
      return false;
    });
  };
  const startMs = new Array<number>(count).fill(0);
  const endMs = new Array<number>(count).fill(0);
  const free = new Map<number, number>();
  const sequence: number[] = [];
  for (const p of given.order!) {
    const executor = placement[p]!;
    const there = [...plan.partNeeds[p]!].map(
      (q) =>
        endMs[q]! + (placement[q] === executor ? 0 : transferMs(plan, q, p, kindOf(placement[q]!), kindOf(executor))),
    );
    startMs[p] = Math.max(free.get(executor) ?? 0, opensMs(plan, sequence), ...there);
    sequence.push(startMs[p]!);
    endMs[p] = startMs[p]! + takes(plan, p, classes[kindOf(executor)]!, given.real ?? given.work);
    free.set(executor, endMs[p]!);
  }
  return { startMs, endMs };
}

function streamed(plan: Plan): Times {
  const { given, count, n } = plan;
  const { work, real = work, order, environment } = given;
  const executors = unlimited(environment.executors);
  const priority = plan.byPriority(environment.overheadMs);
  const remaining = (v: number): number => Math.max(0, ...plan.feeds[v]!.map(remaining)) + work[v]!;
  const left = range(n).map(remaining);
  const first = (one: number, two: number) => left[two]! - left[one]! || plan.position[one]! - plan.position[two]!;
  const startMs = new Array<number>(count).fill(-1);
  const endMs = new Array<number>(count).fill(-1);
  const taskEnd = new Map<number, number>();
  const done = new Set<number>();
  const begin = (p: number, at: number) => {
    const ready = plan.members[p]!.filter((v) => !taskEnd.has(v) && plan.needs[v]!.every((u) => done.has(u))).sort(
      first,
    );
    if (ready.length > 0) taskEnd.set(ready[0]!, at + real[ready[0]!]!);
  };
  const waits = (p: number) =>
    startMs[p] === -1 &&
    [...plan.partNeeds[p]!].every((q) => startMs[q] !== -1) &&
    plan.members[p]!.some((v) => plan.needs[v]!.every((u) => done.has(u)));
  for (let now = 0; ; ) {
    for (const [v, end] of taskEnd) if (end === now) done.add(v);
    for (let p = 0; p < count; p++) {
      if (startMs[p] === -1 || endMs[p] !== -1) continue;
      if (plan.members[p]!.every((v) => done.has(v))) endMs[p] = now;
      else if (plan.members[p]!.every((v) => !taskEnd.has(v) || done.has(v))) begin(p, now);
    }
    for (;;) {
      const held = range(count).filter((p) => startMs[p] !== -1 && endMs[p] === -1).length;
      const next = order === undefined ? priority.find(waits) : order.find((p) => startMs[p] === -1);
      if (held >= executors || next === undefined || !waits(next)) break;
      startMs[next] = now;
      begin(next, now + environment.overheadMs);
    }
    const open = [...taskEnd].filter(([v]) => !done.has(v)).map(([, end]) => end);
    if (open.length === 0) return { startMs, endMs: endMs.map((end) => (end === -1 ? now : end)) };
    now = Math.min(...open);
  }
}
