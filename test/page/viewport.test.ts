import { expect, test } from "vitest";
import { beginning, fit as fitted } from "../../packages/page/app/graph/viewport.ts";

const screen = { width: 1280, height: 480 };
const box = (width: number, height: number) => ({ x: 0, y: 0, width, height });

test.for([
  ["a chain of 300 tasks", box(76_800, 46), { left: true }],
  ["300 tasks below one another", box(185, 18_000), { top: true }],
] as const)("%s is shown from its beginning on, to be read", ([, long, where]) => {
  const view = beginning(long, screen);
  expect(view.scale).toBe(0.6);
  if ("left" in where) {
    expect(view.x).toBeLessThan(0);
    expect(view.x * view.scale).toBeCloseTo(-32);
    expect(view.y + screen.height / 2 / view.scale).toBeCloseTo(long.height / 2);
  } else {
    expect(view.y * view.scale).toBeCloseTo(-32);
    expect(view.x + screen.width / 2 / view.scale).toBeCloseTo(long.width / 2);
  }
});

test.for([
  ["a small plan", box(600, 200)],
  ["10,000 tasks in a square", box(40_000, 30_000)],
  ["a short chain", box(1_900, 46)],
] as const)("%s is shown whole", ([, whole]) => {
  expect(beginning(whole, screen)).toEqual(fitted(whole, screen));
});
