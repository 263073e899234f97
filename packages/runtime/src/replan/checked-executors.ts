import {
  type ExecutionContext,
  type Executor,
  type Resource,
  resourcesOf,
  type Step,
  validateValue,
} from "@planloom/plan";
import type { ReplanPolicy } from "../ports/replan-policy.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";

/** Executors whose outputs must fit their resources' output schemas and a check of the user's, else the task fails. */
export function checkedExecutors(executors: readonly Executor[], check: ReplanPolicy["check"]): Executor[] {
  return executors.map((executor) => ({
    kind: executor.kind,
    resources: () => executor.resources(),
    ...(executor.estimate && { estimate: (step: Step) => executor.estimate!(step) }),
    ...(executor.unavailable && { unavailable: (uid: string) => executor.unavailable!(uid) }),
    ...(executor.timeoutMs && { timeoutMs: (uid: string) => executor.timeoutMs!(uid) }),
    ...(executor.secrets !== undefined && { secrets: executor.secrets }),
    ...(executor.reattaches && { reattaches: (uid: string) => executor.reattaches!(uid) }),
    ...(executor.delegates && { delegates: (uid: string) => executor.delegates!(uid) }),
    async execute(step: Step, context: ExecutionContext): Promise<unknown> {
      const output = await executor.execute(step, context);
      checkSchema(
        output,
        resourcesOf(executor).find(({ id }) => id === step.uid),
      );
      const fault = await check?.(context.task, output);
      if (fault === undefined) return output;
      throw new TaskFailure(TaskErrorCode.OUTPUT_INVALID, `The output is refused: ${fault}`, {
        retryable: false,
        details: { output: shortened(output) },
      });
    },
  }));
}

function checkSchema(output: unknown, resource: Resource | undefined): void {
  if (resource?.output_schema === undefined) return;
  const found = validateValue(output, resource.output_schema, { what: "the output" });
  const issues = found.filter(({ severity }) => severity === "error");
  if (issues.length === 0) return;
  const [first] = issues;
  throw new TaskFailure(
    TaskErrorCode.OUTPUT_INVALID,
    `The output of ${resource.kind} "${resource.id}" does not fit its schema: ${first?.message}`,
    { retryable: false, details: { issues: issues.slice(0, 20), output: shortened(output) } },
  );
}

const maxOutput = 4_000;

/** The value, or the beginning of its JSON text: it goes into the failure's record. */
function shortened(output: unknown): unknown {
  const text = JSON.stringify(output) ?? "null";
  return text.length <= maxOutput ? output : `${text.slice(0, maxOutput)}…`;
}
