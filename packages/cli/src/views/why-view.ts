import type { TaskData } from "planloom";
import { plainLine, type Style } from "../terminal/style.ts";
import { isRecord } from "../terminal/table.ts";
import { wrapped } from "../terminal/wrap.ts";
import { argument, originsOf, sourceText } from "./confirm-view.ts";
import { section } from "./heading.ts";

/** Plans of more tasks are shown task by task only where that is asked for. */
const maxTasksShown = 12;

/**
 * For each task the words it was planned for, its arguments whole with what was guessed, and the next best tools with their scores; nothing for
 * plans whose planner records none of this.
 */
export function tasksView(plan: TaskData, style: Style): string {
  const { choices, provenance } = plan.metadata ?? {};
  if (!isRecord(choices) && !isRecord(provenance)) return "";
  const count = plan.planned_tasks.length;
  if (count > maxTasksShown)
    return style.paint("dim", `  --why shows what each of the ${count} tasks was read from.\n`);
  return section("Tasks", "", style) + taskTexts(plan, style, false);
}

/** The same for every plan and task, with where each argument comes from. */
export function whyView(plan: TaskData, style: Style): string {
  return section("Why", "", style) + taskTexts(plan, style, true);
}

function taskTexts(plan: TaskData, style: Style, isWhole: boolean): string {
  const tasks = plan.planned_tasks.map((task) => {
    const { text, score, alternatives, byPerson, answered } = choiceOf(plan, task.task_id);
    const tool = task.tool_id ?? task.function_id ?? task.agent_id ?? task.execution_type;
    const head = `  ${style.paint("bold", plainLine(task.task_id))}  ${style.paint("dim", plainLine(tool))}\n`;
    const origins = originsOf(plan, task.task_id);
    const values = Object.entries(task.arguments).map(([name, value]) => {
      const from = isWhole && Object.hasOwn(origins, name) ? sourceText(value, origins[name]) : "";
      return argument(name, value, origins, style) + (from === "" ? "" : lines(from, style, 8));
    });
    const others = alternatives.map((each) => (each.score === undefined ? each.tool : `${each.tool} (${each.score})`));
    const points = score === undefined ? "" : `, score ${score}`;
    const by = byPerson ? ", chosen by you" : "";
    const said = text === "" && by === "" ? "" : lines(`for "${text}"${points}${by}`, style);
    const answers = answered.length === 0 ? "" : lines(`you said ${answered.join(", ")}`, style);
    return (
      head +
      said +
      values.join("") +
      answers +
      (others.length === 0 ? "" : lines(`next best: ${others.join(", ")}`, style))
    );
  });
  return tasks.join("");
}

function lines(text: string, style: Style, indent = 6): string {
  return wrapped(text, style.width - indent - 2)
    .map((line, at) => `${" ".repeat(at === 0 ? indent : indent + 2)}${style.paint("dim", line)}\n`)
    .join("");
}

/** A plan file says what it likes there. */
export function choiceOf({ metadata }: TaskData, taskId: string) {
  const all = metadata?.choices;
  const own = isRecord(all) && Object.hasOwn(all, taskId) ? all[taskId] : undefined;
  const { text, score, alternatives, chosen_by, answered } = isRecord(own) ? own : {};
  const listed = Array.isArray(alternatives) ? alternatives.filter(isRecord) : [];
  return {
    text: typeof text === "string" ? text : "",
    score: typeof score === "number" ? score : undefined,
    byPerson: chosen_by === "person",
    answered: Array.isArray(answered) ? answered.filter((each) => typeof each === "string") : [],
    alternatives: listed.flatMap(({ tool, score: own }) =>
      typeof tool === "string" ? [{ tool, score: typeof own === "number" ? own : undefined }] : [],
    ),
  };
}
