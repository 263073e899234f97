import type { JsonSchema } from "@planloom/plan";

/** A tool as it is planned with; `server` says where it is from. */
export interface RelatedTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/** A call of a plan; a reference to another call is written `${tool of that call}`. */
export interface PlannedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Words of the goal that became a value, where they are together in it. */
export interface SaidValue {
  readonly call: number;
  /** Path of the argument, `a.b` for an inner one. */
  readonly argument: string;
  readonly start: number;
  readonly text: string;
}

/** A goal with the plan that was made for it as it is written. */
export interface RelatedCase {
  readonly id: string;
  readonly query: string;
  readonly tools: readonly RelatedTool[];
  readonly calls: readonly PlannedCall[];
  readonly values: readonly SaidValue[];
}

/** Another goal, or other tools, and the plan that must come of it if the plan of the case is kept. */
export interface Variant {
  /** The relation's name and, behind a colon, its form. */
  readonly form: string;
  /** Texts are compared without regard to capitals, where the goal lost them. @default false */
  readonly anyCase?: boolean;
  readonly query: string;
  readonly tools: readonly RelatedTool[];
  readonly calls: readonly PlannedCall[];
}

/** How a plan differs from the one that was expected. */
export type Change = "none" | "lost call" | "added call" | "other tool" | "other argument";

/** @returns what kind of change it is to call `planned` where `expected` was to be called; the order of the calls does not count */
export function changeOf(expected: readonly PlannedCall[], planned: readonly PlannedCall[]): Change {
  const names = (calls: readonly PlannedCall[]) => calls.map(({ tool }) => tool).sort();
  const whole = (calls: readonly PlannedCall[]) => calls.map(canonical).sort();
  if (planned.length < expected.length) return "lost call";
  if (planned.length > expected.length) return "added call";
  if (names(expected).join("\n") !== names(planned).join("\n")) return "other tool";
  return whole(expected).join("\n") === whole(planned).join("\n") ? "none" : "other argument";
}

function canonical({ tool, args }: PlannedCall): string {
  return `${tool} ${JSON.stringify(sorted(args))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, sorted(each)] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}
