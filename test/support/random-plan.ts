import {
  effectiveDependencies,
  formatReference,
  mapReferences,
  type PathSegment,
  PlannerTask,
  TaskData,
  taskNames,
} from "@planloom/plan";
import fc from "fast-check";

export interface RandomPlanOptions {
  /** Maps and "null if absent" in references. @default true */
  readonly maps?: boolean;
  /** Dependencies that no reference implies. @default true */
  readonly declared?: boolean;
  /** Literal texts with braces, dollars and quotes. @default true */
  readonly nastyTexts?: boolean;
  /** Texts that are one reference and give text. @default true */
  readonly textObjects?: boolean;
}

const plainText = fc.stringMatching(/^[a-z ,.:äß-]{0,12}$/);
const nastyText = fc.string({ unit: fc.constantFrom("$", "{", "}", "a", "0", ".", '"', "\\", "\n", "é", " ") });

/** Plans of tool tasks, each referring to earlier ones only, with arguments of every JSON kind. */
export function randomToolPlan(options: RandomPlanOptions = {}): fc.Arbitrary<TaskData> {
  const { maps = true, declared = true, nastyTexts = true, textObjects = true } = options;
  const segment: fc.Arbitrary<PathSegment> = fc.oneof(
    fc.record({ key: fc.stringMatching(/^[a-z][a-z_0-9]{0,5}$/) }),
    fc.record({ index: fc.nat(9) }),
    ...(maps ? [fc.constant({ map: true } as const)] : []),
  );
  const reference = fc.record({
    name: fc.nat(),
    path: fc.array(segment, { maxLength: 3 }),
    optional: maps ? fc.boolean() : fc.constant(false),
  });
  const text = nastyTexts ? fc.oneof(plainText, nastyText) : plainText;
  const argument = fc.oneof(
    fc.record({
      kind: fc.constant("literal" as const),
      value: fc.jsonValue({ maxDepth: 2, noUnicodeString: true } as object),
    }),
    fc.record({ kind: fc.constant("text" as const), text }),
    fc.record({ kind: fc.constant("whole" as const), reference }),
    fc.record({ kind: fc.constant("mixed" as const), before: plainText, reference, after: plainText }),
    ...(textObjects ? [fc.record({ kind: fc.constant("textObject" as const), reference })] : []),
  );
  const task = fc.record({
    tool: fc.stringMatching(/^[a-z]{1,6}$/),
    arguments: fc.dictionary(fc.stringMatching(/^[a-z_]{1,6}$/), argument, { maxKeys: 4 }),
    declared: declared ? fc.array(fc.nat(), { maxLength: 2 }) : fc.constant<number[]>([]),
  });
  return fc.array(task, { minLength: 1, maxLength: 6 }).map((tasks) => {
    const idOf = (index: number) => `t-${index}`;
    return TaskData.parse({
      planned_tasks: tasks.map(({ tool, arguments: values, declared: more }, index) => {
        const nameOf = (pick: number) => idOf(pick % index);
        const entries = Object.entries(values).map(([key, it]): [string, unknown] => {
          if (it.kind === "text") return [key, escapeText(it.text)];
          if (it.kind === "literal") return [key, escapeAll(it.value)];
          if (index === 0) return [key, 1];
          const written = formatReference({ ...it.reference, name: nameOf(it.reference.name) });
          if (it.kind === "whole") return [key, written];
          if (it.kind === "textObject") return [key, { $text: written }];
          const mixed = `${it.before}${written}${it.after}`;
          return [key, mixed === written ? `=${mixed}` : mixed];
        });
        return {
          task_id: idOf(index),
          description: tool,
          execution_type: "tool",
          tool_id: tool,
          arguments: Object.fromEntries(entries),
          dependencies: index === 0 ? [] : [...new Set(more.map(nameOf))],
        };
      }),
    });
  });
}

/** What a plan does, ids aside: tools, arguments with references by position, dependencies by position. */
export function planShape(plan: TaskData): unknown {
  const names = taskNames(plan);
  const position = new Map(plan.planned_tasks.map((task, index) => [task.task_id, index]));
  const byPosition = (name: string) => `#${position.get(names.get(name) ?? "") ?? name}`;
  return effectiveDependencies(plan).map((dependencies, index) => {
    const task = PlannerTask.parse(plan.planned_tasks[index]);
    return {
      tool: task.tool_id,
      arguments: mapReferences(task.arguments, (it) => ({ ...it, name: byPosition(it.name) })),
      dependencies: dependencies.map(byPosition).sort(),
    };
  });
}

const escapeText = (text: string): string => text.replace(/\$+(?=\{)/g, (dollars) => dollars + dollars);

function escapeAll(value: unknown): unknown {
  if (typeof value === "string") return escapeText(value);
  if (Array.isArray(value)) return value.map(escapeAll);
  // JSON has no -0.
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(entries.map(([key, element]) => [key, escapeAll(element)]));
}
