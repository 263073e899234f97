import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { freightResources } from "../support/freight-resources.ts";
import { stepsOf } from "../support/plan-steps.ts";
import { renameResources, renameSteps } from "../support/rename-domain.ts";
import { domains, freightQueries } from "../support/renamed-domains.ts";

const clock = { now: "2025-10-12T06:00:00.000Z", timeZone: "UTC" };

describe.for(domains)("$name", ({ words, queries }) => {
  const resources = renameResources(freightResources, words);
  const cases = Object.entries(queries).flatMap(([key, texts]) => texts.map((text) => ({ key, text })));

  test.for(cases)("$key: $text", ({ key, text }) => {
    const original = planGoal(freightQueries[key as keyof typeof freightQueries], freightResources, clock);
    const expected = renameSteps(stepsOf(original.plan.planned_tasks), words);
    expect(stepsOf(planGoal(text, resources, clock).plan.planned_tasks)).toEqual(expected);
  });
});
