/** One of several things that are connected together. */
export interface Connecting<Connection> {
  readonly name: string;
  /** Whether the others are of use without it. */
  readonly isOptional: boolean;
  connect(): Promise<Connection>;
}

/** Why one of them could not be connected. */
export interface ConnectFailure {
  readonly name: string;
  readonly reason: unknown;
}

/**
 * Connects all at once. Where one that is not optional fails, or `signal` is aborted meanwhile, those that are connected by then are closed before this rejects.
 * @param severalFailed makes the error where more than one fails that is not optional
 * @returns what became of each, in the order given
 * @throws the reason of `signal`; what the one that failed threw, or the error of several
 */
export async function connectAll<Connection extends { close(): unknown }>(
  wanted: readonly Connecting<Connection>[],
  signal: AbortSignal,
  severalFailed: (failures: readonly ConnectFailure[]) => Error,
): Promise<readonly PromiseSettledResult<Connection>[]> {
  signal.throwIfAborted();
  const outcomes = await Promise.allSettled(wanted.map((each) => each.connect()));
  const fatal = outcomes.flatMap((outcome, at) => {
    const { name, isOptional } = wanted[at]!;
    return outcome.status === "rejected" && !isOptional ? [{ name, reason: outcome.reason as unknown }] : [];
  });
  if (fatal.length === 0 && !signal.aborted) return outcomes;
  await Promise.allSettled(connectionsOf(outcomes).map(async (connection) => connection.close()));
  signal.throwIfAborted();
  throw fatal.length === 1 ? fatal[0]!.reason : severalFailed(fatal);
}

/** Those that were connected. */
export function connectionsOf<Connection>(outcomes: readonly PromiseSettledResult<Connection>[]): Connection[] {
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}
