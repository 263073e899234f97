/** The details of a thrown error for debugging, beside its message. Plain JSON of bounded size. */
export interface ErrorTrace {
  /** The `status` or `statusCode` of an HTTP error. */
  readonly error_status?: number;
  /** The first 20 lines of its stack. */
  readonly error_stack?: string;
  /** Its `cause`, with the causes of that, five levels deep. */
  readonly error_cause?: ErrorSummary;
  /** The errors of an `AggregateError`, the first ten. */
  readonly error_errors?: readonly ErrorSummary[];
}

export interface ErrorSummary {
  readonly name?: string;
  readonly message: string;
  readonly code?: string;
  readonly status?: number;
  readonly stack?: string;
  readonly cause?: ErrorSummary;
  readonly errors?: readonly ErrorSummary[];
}

const maxDepth = 5;
const maxErrors = 10;
/** Summaries of one error in all: causes of causes of many errors would multiply. */
const maxSummaries = 20;
const maxMessageLength = 2_000;
const maxStackLength = 4_000;
const maxStackLines = 20;

/** Reads causes, status, stack and inner errors of a thrown value. Never throws; a cycle of causes ends at the fifth level. */
export function errorTrace(thrown: unknown, { stacks }: { readonly stacks: boolean }): ErrorTrace {
  if (typeof thrown !== "object" || thrown === null) return {};
  const budget = { left: maxSummaries };
  const status = statusOf(thrown);
  const stack = stacks ? stackOf(thrown) : undefined;
  const cause = read(thrown, "cause");
  const errors = innerErrors(thrown, stacks, 1, budget);
  return {
    ...(status !== undefined && { error_status: status }),
    ...(cause !== undefined && cause !== null && { error_cause: summary(cause, stacks, 1, budget) }),
    ...(errors !== undefined && { error_errors: errors }),
    ...(stack !== undefined && { error_stack: stack }),
  };
}

/** The parts of a thrown value that are sent to another process. Never throws. */
export function errorSummary(thrown: unknown): ErrorSummary {
  return summary(thrown, true, 1, { left: maxSummaries });
}

/** An error's details without stack and causes, for models: file names and lines do not help them. */
export function withoutTrace<T extends { readonly details?: Readonly<Record<string, unknown>> }>(error: T): T {
  if (error.details === undefined) return error;
  const { error_stack: _stack, error_cause: _cause, error_errors: _errors, ...details } = error.details;
  const { details: _details, ...rest } = error;
  return (Object.keys(details).length === 0 ? rest : { ...rest, details }) as T;
}

function summary(thrown: unknown, stacks: boolean, depth: number, budget: { left: number }): ErrorSummary {
  budget.left--;
  if (typeof thrown !== "object" || thrown === null) return { message: cut(textOf(thrown), maxMessageLength) };
  const name = text(thrown, "name");
  const code = read(thrown, "code");
  const status = statusOf(thrown);
  const stack = stacks ? stackOf(thrown) : undefined;
  const goesOn = depth < maxDepth && budget.left > 0;
  const cause = goesOn ? read(thrown, "cause") : undefined;
  const errors = goesOn ? innerErrors(thrown, stacks, depth + 1, budget) : undefined;
  return {
    ...(name !== undefined && { name: cut(name, 200) }),
    message: cut(text(thrown, "message") ?? "an object that is not an Error", maxMessageLength),
    ...((typeof code === "string" || typeof code === "number") && { code: cut(String(code), 200) }),
    ...(status !== undefined && { status }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && cause !== null && { cause: summary(cause, stacks, depth + 1, budget) }),
    ...(errors !== undefined && { errors }),
  };
}

function innerErrors(thrown: object, stacks: boolean, depth: number, budget: { left: number }) {
  const errors = read(thrown, "errors");
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const kept: ErrorSummary[] = [];
  for (const error of errors.slice(0, maxErrors)) {
    if (budget.left > 0) kept.push(summary(error, stacks, depth, budget));
  }
  return kept;
}

function statusOf(thrown: object): number | undefined {
  const status = read(thrown, "status") ?? read(thrown, "statusCode");
  return typeof status === "number" && Number.isFinite(status) ? status : undefined;
}

function stackOf(thrown: object): string | undefined {
  const stack = text(thrown, "stack");
  return stack === undefined ? undefined : cut(stack.split("\n", maxStackLines).join("\n"), maxStackLength);
}

/** A property that may be a getter which throws. */
function read(thrown: object, key: string): unknown {
  try {
    return Reflect.get(thrown, key);
  } catch {
    return undefined;
  }
}

function text(thrown: object, key: string): string | undefined {
  const value = read(thrown, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : String(value);
}

const cut = (value: string, length: number): string => (value.length > length ? `${value.slice(0, length)}…` : value);
