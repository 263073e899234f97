import { expect, test } from "vitest";
import type { CoreEvent } from "../../../packages/runtime/src/core/core-event.ts";
import { Limits } from "../../../packages/runtime/src/core/limits.ts";
import { createRunState } from "../../../packages/runtime/src/core/run-state.ts";
import { HeldTasks } from "../../../packages/runtime/src/replan/held-tasks.ts";
import { CoreDriver, viewOf } from "../../support/core-driver.ts";

test("what is held while the core rests is let go with the rest, so that the run can end", () => {
  const core = new CoreDriver(createRunState(viewOf(["a", "b"]), { limits: new Limits({ concurrency: 8 }) }));
  const waiting: CoreEvent[] = [];
  const held = new HeldTasks(core.state);
  held.begin({ feed: (event) => waiting.push(event), isQuiet: () => waiting.length === 0 });
  held.hold([0, 1]);
  held.releaseAll(new Set([1]));
  for (const event of waiting.splice(0)) core.feed(event);
  expect([...core.state.held]).toEqual([0, 1]);
});
