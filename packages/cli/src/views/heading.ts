import { plainLine, type Style } from "../terminal/style.ts";

/** One section title, set off by a blank line. */
export function section(title: string, remark: string, style: Style): string {
  const rest = remark === "" ? "" : `  ${style.paint("dim", plainLine(remark))}`;
  return `\n${style.paint(["bold", "cyan"], plainLine(title))}${rest}\n`;
}

/** The goal or title that a block of output is about. */
export function headline(text: string, style: Style): string {
  return `${style.paint(["bold", "magenta"], style.glyph("◆", "*"))} ${style.paint("bold", plainLine(text))}\n`;
}
