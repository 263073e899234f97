import type { PlanloomConfig } from "planloom";
import type { GroupingOptions } from "planloom/dispatch";
import type { EnvironmentInput } from "planloom/optimizer";

/** Who groups plans, and for which environment, as a run of this configuration has it: what is said of the dispatch goes first. */
export function configuredGrouping({ optimizer, dispatch, concurrency }: PlanloomConfig): {
  readonly grouping: GroupingOptions;
  readonly environment: EnvironmentInput;
} {
  const grouping = dispatch?.optimizer ?? optimizer ?? {};
  return {
    grouping,
    environment: {
      ...(concurrency !== undefined && { executors: concurrency }),
      ...grouping.environment,
      ...dispatch?.environment,
    },
  };
}
