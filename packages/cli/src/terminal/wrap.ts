import { plainLine } from "./style.ts";

/** The text as one line, broken at blanks where there are any, so that no line is longer than `width`. */
export function wrapped(text: string, width: number): string[] {
  const room = Math.max(10, width);
  const lines: string[] = [];
  let line = "";
  for (let word of plainLine(text).split(" ")) {
    if (line !== "" && line.length + 1 + word.length <= room) {
      line += ` ${word}`;
      continue;
    }
    if (line !== "") lines.push(line);
    for (; word.length > room; word = word.slice(room)) lines.push(word.slice(0, room));
    line = word;
  }
  return [...lines, line];
}
