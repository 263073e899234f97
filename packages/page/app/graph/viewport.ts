/** What part of the world is seen: the point `(x, y)` is at the left upper corner, and `scale` pixels are one unit. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export const minScale = 0.01;
export const maxScale = 2.5;

/** The same with another scale, where the point under `(px, py)` stays where it is. */
export function zoomAt({ x, y, scale }: Viewport, factor: number, px: number, py: number): Viewport {
  const next = Math.min(maxScale, Math.max(minScale, scale * factor));
  return { x: x + px / scale - px / next, y: y + py / scale - py / next, scale: next };
}

/** Where a plan fills less of the screen than this in one direction, it is not shown whole at first. */
const leastFilled = 0.1;
const readable = 0.6;

/** Shows a plan whole, with a margin; one that is very long and thin, or the other way round, from its beginning on, large enough to read. */
export function beginning(
  box: { x: number; y: number; width: number; height: number },
  screen: { readonly width: number; readonly height: number },
): Viewport {
  const whole = fit(box, screen);
  if (whole.scale >= readable) return whole;
  const filled = Math.min((box.width * whole.scale) / screen.width, (box.height * whole.scale) / screen.height);
  if (filled >= leastFilled) return whole;
  const isWide = box.width / screen.width > box.height / screen.height;
  const margin = 32 / readable;
  const middle = (start: number, size: number, seen: number) => start + size / 2 - seen / 2 / readable;
  return isWide
    ? { x: box.x - margin, y: middle(box.y, box.height, screen.height), scale: readable }
    : { x: middle(box.x, box.width, screen.width), y: box.y - margin, scale: readable };
}

/** Shows a rectangle whole, with a margin around it; never larger than life. */
export function fit(
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  screen: { readonly width: number; readonly height: number },
  largest = 1,
): Viewport {
  const margin = 32;
  const scale = Math.max(
    minScale,
    Math.min(
      largest,
      (screen.width - 2 * margin) / Math.max(1, width),
      (screen.height - 2 * margin) / Math.max(1, height),
    ),
  );
  return {
    x: x + width / 2 - screen.width / 2 / scale,
    y: y + height / 2 - screen.height / 2 / scale,
    scale,
  };
}
