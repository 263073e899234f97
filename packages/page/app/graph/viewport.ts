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
