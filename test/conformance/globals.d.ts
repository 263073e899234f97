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
  /** Runs a plan of many calls through one of seed 002's entry points. */
  callsThrough: typeof import("./guarded-calls.ts").callsThrough;
  /** Runs one task of a type. */
  runOfType: typeof import("./run-of-type.ts").runOfType;
  /** Gives a folder with files as mcp-cli keeps them. */
  withPlanFiles: typeof import("./plan-files.ts").withPlanFiles;
  /** Reads what a case describes in words. */
  readonly inWords: typeof import("./in-words.ts");
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

/** Times are in milliseconds since the stubs were made. */
interface StubCall {
  readonly tool: string;
  readonly input: unknown;
  readonly startedMs: number;
  /** Infinity while it runs. */
  endedMs: number;
  /**
   * When it would have started on a machine that is never late: when the last of the calls that ended before it started would
   * have ended, each of them taking its `delayMs`.
   */
  readonly nominalStartMs: number;
  readonly nominalEndMs: number;
}

interface StubTools {
  readonly tools: readonly {
    readonly id: string;
    readonly description: string;
    execute(input: Record<string, unknown>, context: { readonly signal: AbortSignal }): Promise<unknown>;
  }[];
  /** Every call in order of its start. */
  readonly calls: StubCall[];
  /**
   * The calls in order of their start. Which of several calls that run at one time starts first is no
   * promise of anyone's; they are listed in `planOrder`.
   */
  inOrder(planOrder: readonly string[]): StubCall[];
  /** Calls per tool, of every tool there is. */
  counts(): Record<string, number>;
  /** Most calls that ran at one time. */
  maxConcurrent(): number;
}

/** Turns a case's input into an answer in the shape of its `expected`, by calls of the public API alone. */
// biome-ignore lint/suspicious/noExplicitAny: a case file is plain JSON whose shape only its adapter knows.
type ConformanceAdapter<Input = any> = (input: Input, context: ConformanceContext) => unknown;
