import type { Item, Step } from "./plans-data.ts";
import { canonical, isAccepted, mayBeLeftOut, type NormalStep, normalise, referencesIn } from "./plans-values.ts";

/**
 * Where a plan is lost:
 * retrieval: the right number of calls, but another tool; segmentation: too many or too few calls;
 * value: an argument left out, not asked for, or with another value; reference: an argument that should come from
 * another step and does not, or comes from the wrong place; order: everything right but what waits for what.
 */
export type Loss = "retrieval" | "segmentation" | "value" | "reference" | "order";
export const losses: readonly Loss[] = ["retrieval", "segmentation", "value", "reference", "order"];

export interface LossReport {
  /** Plans by the first thing that is wrong with them, in the order above. */
  readonly plans: Readonly<Record<Loss, number>>;
  /** All single faults. */
  readonly faults: Readonly<Record<Loss, number>>;
}

export function reportLosses(items: readonly Item[], predictions: ReadonlyMap<string, readonly Step[]>): LossReport {
  const plans = zero();
  const faults = zero();
  for (const item of items) {
    const found = faultsOf(item, normalise(predictions.get(item.id) ?? []));
    for (const loss of losses) faults[loss] += found[loss];
    const first = losses.find((loss) => found[loss] > 0);
    if (first !== undefined) plans[first] += 1;
  }
  return { plans, faults };
}

const zero = (): Record<Loss, number> => ({ retrieval: 0, segmentation: 0, value: 0, reference: 0, order: 0 });

function faultsOf(item: Item, predicted: readonly NormalStep[]): Record<Loss, number> {
  const gold = normalise(item.gold.steps);
  const scope = new Set(item.scope ?? ["tools", "edges", "args"]);
  const found = zero();
  const partner = pair(gold, predicted);
  const missed = gold.filter((_, at) => !partner.has(at)).length;
  const wrong = predicted.length - partner.size;
  found.retrieval = Math.min(missed, wrong);
  found.segmentation = Math.max(missed, wrong) - found.retrieval;
  for (const [at, other] of partner) {
    const step = gold[at]!;
    const own = predicted[other]!;
    if (scope.has("args")) countArguments(step, own, gold, predicted, found);
    if (!scope.has("edges")) continue;
    const referred = new Set([...step.args.values()].flatMap((value) => referencesIn(value).map((each) => each.step)));
    const wanted = new Set([...step.sources].map((source) => partner.get(source)));
    for (const source of step.sources) {
      const placed = partner.get(source);
      if (placed !== undefined && !own.sources.has(placed) && !referred.has(source)) found.order += 1;
    }
    const loose = [...own.sources].filter((source) => !wanted.has(source));
    const feeding = new Set([...own.args.values()].flatMap((value) => referencesIn(value).map((each) => each.step)));
    found.order += loose.filter((source) => !feeding.has(source)).length;
  }
  return found;
}

/** Steps of the same tool, those with most equal arguments first. */
function pair(gold: readonly NormalStep[], predicted: readonly NormalStep[]): Map<number, number> {
  const candidates = gold.flatMap((step, at) =>
    predicted.flatMap((own, other) =>
      own.tool === step.tool ? [{ at, other, equal: equalArguments(step, own) }] : [],
    ),
  );
  const partner = new Map<number, number>();
  const taken = new Set<number>();
  for (const { at, other } of candidates.sort((left, right) => right.equal - left.equal)) {
    if (partner.has(at) || taken.has(other)) continue;
    partner.set(at, other);
    taken.add(other);
  }
  return partner;
}

function equalArguments(step: NormalStep, own: NormalStep): number {
  return [...step.args].filter(
    ([name, value]) => own.args.has(name) && canonical(value, [], true) === canonical(own.args.get(name), [], true),
  ).length;
}

function countArguments(
  step: NormalStep,
  own: NormalStep,
  gold: readonly NormalStep[],
  predicted: readonly NormalStep[],
  found: Record<Loss, number>,
): void {
  for (const [name, value] of step.args) {
    const refers = referencesIn(value).length > 0;
    const given = own.args.get(name);
    const accept = step.accept.get(name);
    const same =
      accept === undefined
        ? canonical(value, gold, true) === canonical(given, predicted, true) && samePaths(value, given)
        : isAccepted(given, accept, predicted) || (given === undefined && accept.includes(""));
    if (!same) found[refers || referencesIn(given).length > 0 ? "reference" : "value"] += 1;
  }
  for (const [name, value] of own.args) {
    if (step.args.has(name)) continue;
    if (mayBeLeftOut(step, name) && isAccepted(value, step.accept.get(name) ?? [], predicted)) continue;
    found[referencesIn(value).length > 0 ? "reference" : "value"] += 1;
  }
}

function samePaths(wanted: unknown, given: unknown): boolean {
  const paths = referencesIn(wanted).map((each) => each.path);
  const own = referencesIn(given).map((each) => each.path);
  return paths.every((path, at) => path === "" || path === own[at]);
}
