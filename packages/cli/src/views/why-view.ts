import type { TaskData } from "planloom";
import { plainLine, type Style } from "../terminal/style.ts";
import { isRecord } from "../terminal/table.ts";
import { wrapped } from "../terminal/wrap.ts";
import { argument, originsOf } from "./confirm-view.ts";
import { section } from "./heading.ts";

/** For each task the words it was planned for, its arguments whole with what was guessed, and the next best tools with their scores. */
export function whyView(plan: TaskData, style: Style): string {
  const tasks = plan.planned_tasks.map((task) => {
    const { text, score, alternatives } = choiceOf(plan, task.task_id);
    const tool = task.tool_id ?? task.function_id ?? task.agent_id ?? task.execution_type;
    const head = `  ${style.paint("bold", plainLine(task.task_id))}  ${style.paint("dim", plainLine(tool))}\n`;
    const origins = originsOf(plan, task.task_id);
    const values = Object.entries(task.arguments).map(([name, value]) => argument(name, value, origins, style));
    const others = alternatives.map((each) => `${each.tool} (${each.score})`).join(", ");
    const said = text === "" ? "" : lines(`for "${text}"${score === undefined ? "" : `, score ${score}`}`, style);
    return head + said + values.join("") + (others === "" ? "" : lines(`next best: ${others}`, style));
  });
  return section("Why", "", style) + tasks.join("");
}

function lines(text: string, style: Style): string {
  return wrapped(text, style.width - 8)
    .map((line, at) => `${" ".repeat(at === 0 ? 6 : 8)}${style.paint("dim", line)}\n`)
    .join("");
}

/** A plan file says what it likes there. */
function choiceOf({ metadata }: TaskData, taskId: string) {
  const all = metadata?.choices;
  const own = isRecord(all) && Object.hasOwn(all, taskId) ? all[taskId] : undefined;
  const { text, score, alternatives } = isRecord(own) ? own : {};
  const listed = Array.isArray(alternatives) ? alternatives.filter(isRecord) : [];
  return {
    text: typeof text === "string" ? text : "",
    score: typeof score === "number" ? score : undefined,
    alternatives: listed.flatMap(({ tool, score: own }) =>
      typeof tool === "string" && typeof own === "number" ? [{ tool, score: own }] : [],
    ),
  };
}
