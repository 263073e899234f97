// What tests import as "fast-check" while changes are tried: a property has a hundred cases, and its first failure is enough.
const real = ((await import(process.env.MUTATION_FAST_CHECK ?? "")) as typeof import("fast-check")).default;

real.configureGlobal({ seed: 20261122, endOnFailure: true });

type Settings = { readonly numRuns?: number };

const most = 100;

const assert = ((property: Parameters<typeof real.assert>[0], { numRuns = most, ...parameters }: Settings = {}) =>
  real.assert(property as never, { ...parameters, numRuns: Math.min(numRuns, most) })) as typeof real.assert;

export default { ...real, assert };
