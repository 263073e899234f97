import { isRecord } from "../json.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { formatPath } from "./format-reference.ts";
import { readPath } from "./read-path.ts";
import { maxArgumentDepth, type PathSegment } from "./reference.ts";
import { tasksOfPlan } from "./task-names.ts";

/** Names that a secret may have: those of environment variables, with dots and hyphens. */
const secretName = /^[A-Za-z_][\w.-]{0,127}$/;

/** A place in a value that holds `{"$secret": "NAME"}`. */
export interface FoundSecret {
  readonly name: string;
  readonly path: readonly PathSegment[];
}

/**
 * The name in the object form `{"$secret": "NAME"}`: exactly this one key, its value a string. An object with further keys is
 * an ordinary value.
 */
export function secretObjectName(value: unknown): string | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, "$secret")) return undefined;
  const name = value.$secret;
  return typeof name === "string" && Object.keys(value).length === 1 ? name : undefined;
}

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Every secret of a value in document order. Never throws; values nested too deep for arguments are not searched. Linear. */
export function collectSecrets(value: unknown): FoundSecret[] {
  const found: FoundSecret[] = [];
  const path: PathSegment[] = [];
  const visit = (current: unknown): void => {
    if (typeof current !== "object" || current === null || path.length >= maxArgumentDepth) return;
    const name = secretObjectName(current);
    if (name !== undefined) {
      found.push({ name, path: [...path] });
      return;
    }
    const inside = (segment: PathSegment, member: unknown): void => {
      if (typeof member !== "object" || member === null) return;
      path.push(segment);
      visit(member);
      path.pop();
    };
    if (Array.isArray(current))
      for (let index = 0; index < current.length; index += 1) inside({ index }, current[index]);
    else if (isRecord(current)) for (const key of Object.keys(current)) inside({ key }, current[key]);
  };
  visit(value);
  return found;
}

/**
 * Replaces each secret by its text, in `value` itself, where `{"$secret": …}` of that name is still there.
 * @returns `value`; `onMissing` is called for each secret that is not at its place
 */
export function fillSecrets<T>(
  value: T,
  secrets: readonly FoundSecret[],
  textOf: (secret: FoundSecret) => string,
  onMissing: (secret: FoundSecret) => void = () => {},
): T {
  for (const secret of secrets) {
    const last = secret.path.at(-1);
    const parent = readPath(value, secret.path.slice(0, -1));
    const key =
      last === undefined || !parent.found
        ? undefined
        : "key" in last
          ? last.key
          : "index" in last
            ? last.index
            : undefined;
    const holder =
      parent.found && typeof parent.value === "object" ? (parent.value as Record<PropertyKey, unknown> | null) : null;
    if (
      holder === null ||
      key === undefined ||
      !Object.hasOwn(holder, key) ||
      secretObjectName(holder[key]) !== secret.name
    ) {
      onMissing(secret);
      continue;
    }
    Object.defineProperty(holder, key, { value: textOf(secret), enumerable: true, configurable: true, writable: true });
  }
  return value;
}

/**
 * The places where a plan names secrets, task by task in plan order, those of the tasks that are executed for each element of a list after
 * the task they are of. Only arguments are searched, since secrets are filled in nowhere else.
 */
export function planSecrets(plan: {
  readonly planned_tasks: readonly PlannerTask[];
}): { readonly name: string; readonly task_id: string; readonly argument_path: string }[] {
  return tasksOfPlan(plan).flatMap(({ task_id, arguments: given, for_each }) => [
    ...collectSecrets(given).map(({ name, path }) => ({ name, task_id, argument_path: formatPath(path) })),
    ...(for_each?.tasks === undefined ? [] : planSecrets({ planned_tasks: for_each.tasks })),
  ]);
}
