import { isRecord, type PlannerTaskInput } from "@planloom/plan";
import type { Step } from "./plans-data.ts";

/** Gold steps as tasks: the reverse of `toSteps`. */
export function goldTasks(steps: readonly Step[]): PlannerTaskInput[] {
  const id = (step: number) => `t${step}`;
  const reference = ({ step, path }: { step: number; path: string }) =>
    `\${${id(step)}${path
      .split(".")
      .filter((key) => key !== "")
      .map((key) =>
        /^\d+$/.test(key) ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
      )
      .join("")}}`;
  const value = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(value);
    if (!isRecord(part)) return typeof part === "string" ? part.replaceAll("${", "$${") : part;
    if (isReference(part.$ref)) return reference(part.$ref);
    if (typeof part.$template === "string" && Array.isArray(part.$refs)) {
      const referred = part.$refs.map((each: unknown) => (isRecord(each) && isReference(each.$ref) ? each.$ref : each));
      return part.$template.replaceAll(/\{(\d+)\}/g, (whole, at: string) => {
        const each: unknown = referred[Number(at)];
        return isReference(each) ? reference(each) : whole;
      });
    }
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, value(each)]));
  };
  return steps.map(({ tool, args, dependsOn }, at) => ({
    task_id: id(at),
    description: tool,
    execution_type: "tool",
    tool_id: tool,
    arguments: value(args) as Record<string, unknown>,
    dependencies: dependsOn.map(id),
  }));
}

function isReference(value: unknown): value is { step: number; path: string } {
  return isRecord(value) && typeof value.step === "number" && typeof value.path === "string";
}
