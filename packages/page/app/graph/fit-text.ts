const known = new Map<string, string>();
const maxKnown = 50_000;

/** As much of a text as fits into a width in the font that is set, with `…` where something is cut. */
export function fitText(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${context.font}/${Math.round(width)}/${text}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size > maxKnown) known.clear();
  const fitted = cut(context, text, width);
  known.set(key, fitted);
  return fitted;
}

function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  // Nothing that is wider than a card is worth measuring.
  const letters = [...text.slice(0, 200)];
  if (context.measureText(letters.join("")).width <= width) return letters.join("");
  let fits = 0;
  let tooLong = letters.length;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (context.measureText(`${letters.slice(0, middle).join("")}…`).width <= width) fits = middle;
    else tooLong = middle;
  }
  return `${letters.slice(0, fits).join("").trimEnd()}…`;
}
