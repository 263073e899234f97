import { type FoundSecret, fillSecrets, formatPath, kindRecord, type Step, validateStep } from "@planloom/plan";
import { issueText } from "../executors/read-schema.ts";
import type { RegistryEntry } from "../executors/registry.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";
import { noSecrets, type SecretResolver, secretFailure } from "./secret-resolver.ts";

/**
 * Whether the secrets that a task names can be filled in, before it starts. Only those in the task's own arguments are: what a
 * tool or a model answered may look like one, and is data.
 * @throws TaskFailure SECRET
 */
export function checkFillable(
  step: Step,
  secrets: readonly FoundSecret[],
  { executor, resource }: RegistryEntry,
  resolver: SecretResolver | undefined,
): void {
  fillSecrets(
    structuredClone(step.input_data),
    secrets,
    () => "",
    ({ name, path }) => {
      const where = formatPath(path);
      throw secretFailure(
        name,
        resource.id,
        `The task's secret ${JSON.stringify(name)} is no longer at \`${where}\` of the input that convertor_code or Stage 2 made.`,
      );
    },
  );
  for (const { name } of secrets) {
    if (!(executor.secrets ?? kindRecord(executor.kind).takesSecrets)) {
      const message = `The secret ${JSON.stringify(name)} is not filled in for ${resource.kind} "${resource.id}": only tools are given secrets, since the others may show them to a model.`;
      throw secretFailure(name, resource.id, message);
    }
    const refused =
      resolver === undefined ? secretFailure(name, resource.id, noSecrets(name)) : resolver.refuses(name, resource);
    if (refused !== undefined) throw refused;
  }
}

/**
 * Fills in the secrets of an input, in place, and checks it as it is now.
 * @throws TaskFailure SECRET, INVALID_INPUT (rejects)
 */
export async function fillIn(
  step: Step,
  secrets: readonly FoundSecret[],
  { resource }: RegistryEntry,
  resolver: SecretResolver,
  signal: AbortSignal,
): Promise<Step> {
  const texts = new Map<string, string>();
  for (const { name } of secrets) texts.set(name, await resolver.reveal(name, resource, signal));
  signal.throwIfAborted();
  fillSecrets(step.input_data, secrets, ({ name }) => texts.get(name) ?? "");
  const issues = validateStep(step, resource, { secrets: [] }).filter(({ severity }) => severity === "error");
  if (issues.length === 0) return step;
  const message = `The input of ${resource.kind} "${resource.id}" does not fit its schema: ${issueText(issues)}`;
  throw new TaskFailure(TaskErrorCode.INVALID_INPUT, message, { retryable: false, details: { issues } });
}
