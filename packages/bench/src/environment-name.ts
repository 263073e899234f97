import type { EnvironmentInput } from "@planloom/optimizer";

/** What else than executors and overhead can be said of an environment, in the order in which it is said. */
const rest: readonly (readonly [keyof EnvironmentInput, (value: unknown) => string])[] = [
  ["semantics", (value) => (value === "atomic" ? "" : String(value))],
  ["slots", (value) => (value === 1 ? "" : `${String(value)} slots`)],
  ["ccr", (value) => (value === 0 ? "" : `CCR ${String(value)}`)],
  ["latencyMs", (value) => (value === 0 ? "" : `latency ${String(value)} ms`)],
  ["bytesPerMs", (value) => `${String(value)} bytes/ms`],
  ["rates", (value) => `${(value as number[][]).map((row) => row.join(":")).join("/")} bytes/ms`],
  ["contextTokens", (value) => `${String(value)} tokens of context`],
  ["memoryBytes", (value) => `${String(value)} bytes of memory`],
  ["dispatchRate", (value) => rateWords(value as NonNullable<EnvironmentInput["dispatchRate"]>)],
  ["prices", (value) => priceWords(value as NonNullable<EnvironmentInput["prices"]>)],
  ["baseTokens", (value) => (value === 0 ? "" : `${String(value)} tokens a dispatch`)],
  ["maxTasks", (value) => `at most ${String(value)} tasks a dispatch`],
  ["affinity", (value) => (value === "none" ? "" : `${String(value)} affinity`)],
];

function priceWords({
  perDispatch = 0,
  perMillionTokens = 0,
  perExecutorHour = 0,
}: NonNullable<EnvironmentInput["prices"]>): string {
  return `prices ${perDispatch} a dispatch, ${perMillionTokens} a million tokens, ${perExecutorHour} an hour`;
}

function rateWords({ limit, intervalMs }: NonNullable<EnvironmentInput["dispatchRate"]>): string {
  return `${limit} dispatch${limit === 1 ? "" : "es"} in ${intervalMs} ms`;
}

/** An environment in a few words, for headings: `8 executors, overhead 1x, CCR 2`. Equal words for equal environments. */
export function environmentName(input: EnvironmentInput): string {
  const { executors = 4, overheadMs, overheadFactor = 1, classes } = input;
  const count = executors === Number.POSITIVE_INFINITY ? "unlimited" : executors;
  const width = classes
    ? classes
        .map(({ name, count: own, speed = 1 }) => `${own} ${name}${speed === 1 ? "" : ` at ${speed}x`}`)
        .join(" + ")
    : `${count} executor${executors === 1 ? "" : "s"}`;
  const overhead =
    overheadMs === undefined
      ? `${overheadFactor}x`
      : overheadMs >= 1000
        ? `${overheadMs / 1000} s`
        : `${overheadMs} ms`;
  const said = rest.flatMap(([field, say]) => (input[field] === undefined ? [] : [say(input[field])]));
  const words = [width, ...(classes ? [] : [`overhead ${overhead}`]), ...said].filter((word) => word !== "");
  return words.join(", ");
}
