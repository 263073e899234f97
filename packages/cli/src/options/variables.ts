import type { TaskData } from "planloom";
import { CliError, CliErrorCode } from "../errors.ts";

/** The plan with these variables beside its own, of which they replace those of the same name. */
export function withVariables(plan: TaskData, variables: Readonly<Record<string, unknown>>): TaskData {
  return Object.keys(variables).length === 0 ? plan : { ...plan, variables: { ...plan.variables, ...variables } };
}

/** Refuses a variable that the plan neither declares nor refers to. @throws CliError USAGE */
export async function checkVariables(variables: Readonly<Record<string, unknown>>, plan: TaskData): Promise<void> {
  if (Object.keys(variables).length === 0) return;
  const { variableNames } = await import("planloom/planning");
  const known = variableNames(plan);
  const unknown = Object.keys(variables).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const has = known.length === 0 ? "it has none" : `it has ${known.slice(0, 10).join(", ")}`;
  throw new CliError(CliErrorCode.USAGE, `The plan has no variable ${JSON.stringify(unknown)}; ${has}.`, {
    details: { option: "--var", name: unknown },
  });
}

/** `name=value`; the value is JSON where it parses, else text. */
export function parseVariables(pairs: readonly string[], option = "--var"): Record<string, unknown> {
  const variables = new Map<string, unknown>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw new CliError(CliErrorCode.USAGE, `Expected ${option} NAME=VALUE, got ${JSON.stringify(pair)}.`);
    const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
    if (name in Object.prototype)
      throw new CliError(CliErrorCode.USAGE, `${JSON.stringify(name)} cannot be the name of a variable.`);
    try {
      variables.set(name, JSON.parse(text));
    } catch {
      variables.set(name, text);
    }
  }
  return Object.fromEntries(variables);
}
