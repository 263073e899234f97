import { type Status, statuses } from "../model/status.ts";

/** The colours of the page's style sheet, for what is drawn on a canvas. */
export interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly background: string;
  readonly card: string;
  readonly line: string;
  readonly area: string;
  readonly accent: string;
  readonly critical: string;
  /** By the number of the status. */
  readonly statuses: readonly string[];
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("text"),
    muted: colour("muted"),
    background: colour("background"),
    card: colour("card"),
    line: colour("edge"),
    area: colour("area"),
    accent: colour("accent"),
    critical: colour("critical"),
    statuses: statuses.map((status: Status) => colour(status)),
  };
}
