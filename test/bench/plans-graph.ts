import { isRecord } from "@planloom/plan";
import { canonical, isAccepted, mayBeLeftOut, type NormalStep, referenceOf } from "./plans-values.ts";

/** More tries than this per plan count as a mismatch. */
const maxTries = 200_000;

/** The same plan up to the order of its steps: tools, dependencies and, on request, every argument. */
export function isSamePlan(predicted: readonly NormalStep[], gold: readonly NormalStep[], withArgs: boolean): boolean {
  if (predicted.length !== gold.length) return false;
  const order = sourcesFirst(gold);
  const mapped: number[] = gold.map(() => -1);
  const taken = new Set<number>();
  let tries = 0;
  const place = (at: number): boolean => {
    tries += 1;
    if (tries > maxTries) return false;
    const index = order[at];
    if (index === undefined)
      return !withArgs || gold.every((step, each) => sameArguments(step, predicted[mapped[each]!]!, predicted, mapped));
    const step = gold[index]!;
    return predicted.some((candidate, other) => {
      if (taken.has(other) || candidate.tool !== step.tool || candidate.sources.size !== step.sources.size)
        return false;
      const known = [...step.sources].map((source) => mapped[source]!);
      if (!known.every((source) => source < 0 || candidate.sources.has(source))) return false;
      mapped[index] = other;
      taken.add(other);
      const whole = known.every((source) => source >= 0);
      if ((!whole || !withArgs || sameArguments(step, candidate, predicted, mapped)) && place(at + 1)) return true;
      mapped[index] = -1;
      taken.delete(other);
      return false;
    });
  };
  return place(0);
}

function sourcesFirst(plan: readonly NormalStep[]): number[] {
  const order = new Set<number>();
  const seen = new Set<number>();
  const visit = (at: number): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const source of plan[at]!.sources) visit(source);
    order.add(at);
  };
  for (const at of plan.keys()) visit(at);
  return [...order];
}

function sameArguments(
  gold: NormalStep,
  candidate: NormalStep,
  predicted: readonly NormalStep[],
  mapped: readonly number[],
): boolean {
  for (const [name, value] of candidate.args) {
    if (gold.args.has(name)) continue;
    if (!mayBeLeftOut(gold, name) || !isAccepted(value, gold.accept.get(name) ?? [], predicted)) return false;
  }
  return [...gold.args].every(([name, value]) => {
    if (!candidate.args.has(name)) return false;
    const accept = gold.accept.get(name);
    const own = candidate.args.get(name);
    return accept === undefined ? sameValue(value, own, mapped) : isAccepted(own, accept, predicted);
  });
}

/** A gold reference without a path takes any path of the same step. */
function sameValue(gold: unknown, value: unknown, mapped: readonly number[]): boolean {
  if (Array.isArray(gold)) {
    return (
      Array.isArray(value) &&
      gold.length === value.length &&
      gold.every((each, at) => sameValue(each, value[at], mapped))
    );
  }
  if (!isRecord(gold))
    return !isRecord(value) && !Array.isArray(value) && canonical(gold, [], true) === canonical(value, [], true);
  if (!isRecord(value)) return false;
  const wanted = referenceOf(gold);
  if (wanted !== undefined) {
    const own = referenceOf(value);
    return own !== undefined && mapped[wanted.step] === own.step && (wanted.path === "" || wanted.path === own.path);
  }
  if (Object.hasOwn(gold, "$template")) {
    return Object.hasOwn(value, "$template") && sameValue(gold.$refs, value.$refs ?? [], mapped);
  }
  const keys = Object.keys(gold);
  return (
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && sameValue(gold[key], value[key], mapped))
  );
}
