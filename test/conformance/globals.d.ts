/**
 * What an adapter may use beside the public packages. Declared globally so that an adapter's only imports are those
 * packages; the runner passes the value.
 */
interface ConformanceContext {
  /** Aborted when the case takes too long. */
  readonly signal: AbortSignal;
  /** The one catalogue of `query.plan` and its like. */
  readonly catalogue: readonly import("@planloom/plan").Resource[];
  /** Tools that behave as a case file says, and a record of their calls. */
  stubTools(spec: Readonly<Record<string, StubTool>>, options?: StubOptions): StubTools;
  /** Runs a plan with a step that fails, with a planner that revises it as the case says. */
  stubReplan: typeof import("./stub-replan.ts").stubReplan;
  /** Answers that this case has no counterpart here; listed with the reason. */
  skip(reason: string): never;
}

interface StubTool {
  readonly returns?: unknown;
  readonly throws?: string;
  readonly raises?: string;
  readonly fails?: string;
  readonly echo?: boolean;
  readonly delayMs?: number;
  readonly failTimes?: number;
}

interface StubOptions {
  /** What a tool gives whose entry says nothing: its input, `undefined`, or `r:` and its name. */
  readonly silent?: "echo" | "undefined" | "name";
  /** Names of tools that exist without an entry. */
  readonly also?: readonly string[];
}

interface StubTools {
  readonly tools: readonly {
    readonly id: string;
    readonly description: string;
    execute(input: Record<string, unknown>, context: { readonly signal: AbortSignal }): Promise<unknown>;
  }[];
  /** Every call in order of its start. */
  readonly calls: { readonly tool: string; readonly input: unknown; readonly startedMs: number; endedMs: number }[];
  /**
   * Names of the tools in order of their calls' start. Which of several calls that run at one time starts first is no
   * promise of anyone's; they are listed in `planOrder`.
   */
  callOrder(planOrder: readonly string[]): string[];
  /** Calls per tool, of every tool there is. */
  counts(): Record<string, number>;
  /** Most calls that ran at one time. */
  maxConcurrent(): number;
}

/** Turns a case's input into an answer in the shape of its `expected`, by calls of the public API alone. */
// biome-ignore lint/suspicious/noExplicitAny: a case file is plain JSON whose shape only its adapter knows.
type ConformanceAdapter<Input = any> = (input: Input, context: ConformanceContext) => unknown;
