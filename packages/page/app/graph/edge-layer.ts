import type { Viewport } from "./viewport.ts";

/** Curves from `(x1, y1)` to `(x2, y2)`, four numbers each, in the units of the world. */
export type Curves = Float32Array;

/** How much more than the screen is drawn on each side, in parts of the screen, so that panning moves a picture. */
const margin = 0.5;
/** Of more curves than this, straight lines are drawn: they look the same from afar. */
const manyCurves = 3_000;
const curvesPerStroke = 250;

/** A picture that is being drawn. */
interface NextPicture extends Picture {
  readonly visible: Int32Array;
  at: number;
}

interface Picture {
  readonly canvas: HTMLCanvasElement;
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
}

/**
 * The edges of a graph as a picture that is larger than the screen: while the graph is panned the picture is moved, while it is zoomed the picture is
 * scaled, and a new one is drawn in parts, a few milliseconds a frame.
 */
export class EdgeLayer {
  #curves: Curves = new Float32Array();
  #colour = "#888";
  #picture: Picture | undefined;
  #next: NextPicture | undefined;

  set(curves: Curves, colour: string): void {
    this.#curves = curves;
    this.#colour = colour;
    this.#picture = undefined;
    this.#next = undefined;
  }

  /** Draws what there is, and works on the next picture for at most `budgetMs`. @returns whether there is more to do */
  draw(
    context: CanvasRenderingContext2D,
    view: Viewport,
    screen: { readonly width: number; readonly height: number },
    ratio: number,
    budgetMs: number,
  ): boolean {
    if (!fits(this.#picture, view, screen) && !fits(this.#next, view, screen))
      this.#next = this.#begin(view, screen, ratio);
    const isDone = this.#next === undefined || this.#continue(this.#next, ratio, budgetMs);
    const picture = this.#picture ?? this.#next;
    if (picture !== undefined) {
      const scale = view.scale / picture.view.scale;
      const left = (picture.view.x - view.x) * view.scale;
      const top = (picture.view.y - view.y) * view.scale;
      context.drawImage(picture.canvas, left, top, picture.width * scale, picture.height * scale);
    }
    return !isDone;
  }

  #begin(view: Viewport, screen: { readonly width: number; readonly height: number }, ratio: number): NextPicture {
    const canvas = document.createElement("canvas");
    const width = screen.width * (1 + 2 * margin);
    const height = screen.height * (1 + 2 * margin);
    canvas.width = Math.ceil(width * ratio);
    canvas.height = Math.ceil(height * ratio);
    const shifted = {
      x: view.x - (screen.width * margin) / view.scale,
      y: view.y - (screen.height * margin) / view.scale,
      scale: view.scale,
    };
    const right = shifted.x + width / view.scale;
    const bottom = shifted.y + height / view.scale;
    const visible: number[] = [];
    for (let at = 0; at < this.#curves.length; at += 4) {
      const x1 = this.#curves[at]!;
      const x2 = this.#curves[at + 2]!;
      const y1 = this.#curves[at + 1]!;
      const y2 = this.#curves[at + 3]!;
      if (Math.max(x1, x2) < shifted.x || Math.min(x1, x2) > right) continue;
      if (Math.max(y1, y2) < shifted.y || Math.min(y1, y2) > bottom) continue;
      visible.push(at);
    }
    return { canvas, view: shifted, width, height, visible: Int32Array.from(visible), at: 0 };
  }

  /** @returns whether the picture is whole, and so is the one that is shown from now on */
  #continue(next: NextPicture, ratio: number, budgetMs: number): boolean {
    const context = next.canvas.getContext("2d")!;
    const { x, y, scale } = next.view;
    context.setTransform(scale * ratio, 0, 0, scale * ratio, -x * scale * ratio, -y * scale * ratio);
    context.strokeStyle = this.#colour;
    const many = next.visible.length > manyCurves;
    context.lineWidth = (many ? 0.75 : 1.25) / scale;
    context.globalAlpha = many ? 0.5 : 1;
    const until = performance.now() + budgetMs;
    const curves = this.#curves;
    while (next.at < next.visible.length) {
      context.beginPath();
      const end = Math.min(next.visible.length, next.at + curvesPerStroke);
      for (; next.at < end; next.at += 1) {
        const at = next.visible[next.at]!;
        trace(context, curves[at]!, curves[at + 1]!, curves[at + 2]!, curves[at + 3]!, many);
      }
      context.stroke();
      if (performance.now() > until) return false;
    }
    this.#picture = next;
    this.#next = undefined;
    return true;
  }
}

/** One edge: leaves its task to the right and comes to the next from the left. */
export function trace(
  context: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  straight = false,
): void {
  context.moveTo(x1, y1);
  if (straight) {
    context.lineTo(x2, y2);
    return;
  }
  const bend = Math.max(24, Math.abs(x2 - x1) / 2);
  context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
}

function fits(
  picture: Picture | undefined,
  view: Viewport,
  screen: { readonly width: number; readonly height: number },
): boolean {
  if (picture === undefined || picture.view.scale !== view.scale) return false;
  const { x, y } = picture.view;
  const right = x + picture.width / view.scale;
  const bottom = y + picture.height / view.scale;
  return (
    view.x >= x &&
    view.y >= y &&
    view.x + screen.width / view.scale <= right &&
    view.y + screen.height / view.scale <= bottom
  );
}
