import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const choice = (...values: string[]) => ({ enum: values });
const parcels: Resource = {
  kind: "tool",
  id: "parcels_list",
  description: "Query parcels with filters",
  read_only: true,
  input_schema: { type: "object", properties: { state: choice("lost", "delivered"), depot: { type: "string" } } },
};
const depots: Resource = {
  kind: "tool",
  id: "depots_list",
  description: "Query depots",
  read_only: true,
  input_schema: { type: "object", properties: { town: { type: "string" } } },
};

/** What the plan leaves to be computed. */
const computations = (goal: string, resources: readonly Resource[] = [parcels, depots]) =>
  planGoal(goal, resources)
    .unresolved.filter(({ reason }) => reason === "computation")
    .map(({ text }) => text);

describe("tools that do not say what they give", () => {
  test("a comparison that no tool makes is said, and each side is queried", () => {
    const { plan } = planGoal("Compare lost and delivered parcels", [parcels, depots]);
    expect(plan.planned_tasks.map((task) => task.arguments)).toEqual([{ state: "lost" }, { state: "delivered" }]);
    expect(plan.metadata?.unresolved).toMatchObject([{ reason: "computation", text: "Compare" }]);
    expect(computations("Rank the parcels")).toEqual(["Rank"]);
  });

  test("nothing is said where the data are all that is asked for, or a tool computes", () => {
    expect(computations("List the lost parcels")).toEqual([]);
    const ranking: Resource = { ...depots, id: "rank_parcels", description: "Ranks parcels by weight" };
    expect(computations("Rank the parcels", [parcels, ranking])).toEqual([]);
    const sorted: Resource = {
      ...parcels,
      input_schema: { type: "object", properties: { sort: choice("age", "weight") } },
    };
    expect(computations("Sort the parcels by weight", [sorted, depots])).toEqual([]);
  });
});
