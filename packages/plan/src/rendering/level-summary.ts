import type { Canvas } from "./canvas.ts";
import { fit, printable } from "./printable.ts";
import { resourceText } from "./task-text.ts";

/** A large plan by level: how many tasks, of which resources, and the first ids. At most `maxLines` lines. */
export function abbreviated(canvas: Canvas, maxLines: number): string[] {
  const { tasks, levels, characters, paint, width, unicode } = canvas;
  const members: number[][] = [];
  levels.forEach((level, task) => {
    const list = members[level];
    if (list) list.push(task);
    else members[level] = [task];
  });
  const shown = Math.max(2, Math.min(members.length, maxLines));
  const head = Math.ceil(shown / 2);
  const digits = String(members.length).length;
  const line = (level: number): string => {
    const list = members[level]!;
    const resources = new Map<string, number>();
    for (const task of list) {
      const name = resourceText(tasks[task]!) || "open";
      resources.set(name, (resources.get(name) ?? 0) + 1);
    }
    const kinds = [...resources]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 3)
      .map(([name, count]) => (count > 1 ? `${name} ${characters.times}${count}` : name));
    if (resources.size > 3) kinds.push(`${resources.size - 3} more`);
    const ids = list.slice(0, 3).map((task) => tasks[task]!.task_id);
    const more = list.length > 3 ? `, ${characters.ellipsis} ${list.length - 3} more` : "";
    const text = printable(
      `${list.length} task${list.length === 1 ? "" : "s"}${characters.dot}${kinds.join(", ")}${characters.dot}${ids.join(", ")}${more}`,
      { unicode },
    );
    const number = String(level + 1).padStart(digits + 1);
    return `${paint("level", number)}  ${paint("arguments", fit(text, width - number.length - 2, characters.ellipsis))}`;
  };
  const lines: string[] = [];
  for (let level = 0; level < members.length; level++) {
    if (members.length > shown && level >= head && level < members.length - (shown - head)) {
      if (level === head) {
        const left = members.length - shown;
        lines.push(
          paint("note", `${" ".repeat(digits + 3)}${characters.ellipsis} ${left} more level${left === 1 ? "" : "s"}`),
        );
      }
      continue;
    }
    lines.push(line(level));
  }
  const note = `Abbreviated: ${tasks.length} tasks are too many to draw one by one.`;
  lines.push(paint("note", fit(note, width, characters.ellipsis)));
  return lines;
}
