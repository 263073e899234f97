import { completeEnvironment, type RuleStrategy } from "@planloom/optimizer";
import { planViewFromEdges } from "@planloom/plan";
import { expect, test } from "vitest";
import { stoppable } from "../../packages/cli/src/options/stoppable-strategy.ts";

const view = planViewFromEdges({ n: 2, from: [0], to: [1] });
const own = (propose: RuleStrategy["propose"]): RuleStrategy => ({
  name: "mine",
  version: "1",
  description: "of one's own",
  deterministic: true,
  propose,
});
const proposed = (strategy: RuleStrategy, deadlineMs: number) =>
  strategy.propose(view, completeEnvironment(view), { seed: 0, deadlineMs });

// Real time: what is stopped is an endless loop.
test.each([[Number.POSITIVE_INFINITY], [20]])(
  "a strategy of one's own that does not end is stopped (deadline %s)",
  (deadlineMs) => {
    const endless = own(() => {
      for (;;);
    });
    expect(() => proposed(stoppable(endless, 30), deadlineMs)).toThrow(/had not ended after 0.0[35] s/);
  },
);

test("one that ends is as it was", () => {
  const strategy = own((given) => ({ part: new Int32Array(given.n), count: 1 }));
  const wrapped = stoppable({ ...strategy, largest: 7, regards: ["executors"] });
  expect(wrapped).toMatchObject({ name: "mine", largest: 7, regards: ["executors"] });
  expect(proposed(wrapped, 1000)).toEqual({ part: new Int32Array(2), count: 1 });
  const throwing = own(() => {
    throw new TypeError("not today");
  });
  expect(() => proposed(stoppable(throwing), 1000)).toThrow("not today");
});
