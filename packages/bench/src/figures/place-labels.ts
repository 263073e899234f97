/** What a label is about, in data coordinates; both axes are logarithmic. */
export interface LabelRequest {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface PlacedLabel extends LabelRequest {
  readonly dx: number;
  readonly dy: number;
  readonly anchor: "start" | "middle" | "end";
}

export interface PlotArea {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Pixels of an average letter and of a line, at 11 pixels. */
const LETTER = 6;
const LINE = 13;

/** The positions that a label may have, best first. */
const places = [
  { dx: 8, dy: 0, anchor: "start" },
  { dx: 0, dy: -11, anchor: "middle" },
  { dx: -8, dy: 0, anchor: "end" },
  { dx: 0, dy: 12, anchor: "middle" },
  { dx: 7, dy: -9, anchor: "start" },
  { dx: 7, dy: 10, anchor: "start" },
  { dx: -7, dy: -9, anchor: "end" },
  { dx: -7, dy: 10, anchor: "end" },
] as const;

/**
 * Labels that cover neither one another nor a mark nor the edge; one for which there is no such place is left out. Greedy, in
 * the order given. O(labels · (labels + marks)).
 * @param domain of both axes, by the same rule as the plot's own.
 */
export function placeLabels(
  requests: readonly LabelRequest[],
  marks: readonly { readonly x: number; readonly y: number }[],
  { width, height, left, right, top, bottom }: PlotArea,
  domain: (values: readonly number[]) => readonly [number, number],
): PlacedLabel[] {
  const scale = (values: readonly number[], from: number, to: number) => {
    const [least, most] = domain(values).map(Math.log) as [number, number];
    return (value: number) => from + ((Math.log(value) - least) / Math.max(1e-9, most - least)) * (to - from);
  };
  const across = scale(
    marks.map(({ x }) => x),
    left,
    width - right,
  );
  const down = scale(
    marks.map(({ y }) => y),
    height - bottom,
    top,
  );
  const taken: Box[] = marks.map(({ x, y }) => around(across(x), down(y), 5, 5));
  const placed: PlacedLabel[] = [];
  for (const request of requests) {
    const free = places.find((place) => {
      const box = boxOf(request.text, across(request.x), down(request.y), place);
      const inside = box.left >= left - 4 && box.right <= width && box.top >= 0 && box.bottom <= height - bottom;
      if (!inside || taken.some((other) => overlap(box, other))) return false;
      taken.push(box);
      return true;
    });
    if (free !== undefined) placed.push({ ...request, ...free });
  }
  return placed;
}

function boxOf(text: string, x: number, y: number, { dx, dy, anchor }: (typeof places)[number]): Box {
  const size = text.length * LETTER;
  const from = x + dx - (anchor === "start" ? 0 : anchor === "end" ? size : size / 2);
  return { left: from, right: from + size, top: y + dy - LINE / 2, bottom: y + dy + LINE / 2 };
}

const around = (x: number, y: number, w: number, h: number): Box => ({
  left: x - w,
  right: x + w,
  top: y - h,
  bottom: y + h,
});

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
