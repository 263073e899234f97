import { describe, expect, test } from "vitest";
import type { Case } from "./case-file.ts";
import { runCases } from "./run-cases.ts";
import { agentGrid } from "./variations/agent-grid.ts";
import { kirha } from "./variations/kirha.ts";
import { mcpCli } from "./variations/mcp-cli.ts";
import { planExecute } from "./variations/plan-execute.ts";
import { plannerAgent } from "./variations/planner-agent.ts";

/** An adapter drives the product, so that an input of another case gets its true answer: names, numbers, orders and texts are other ones. */
describe.each([
  { seed: "000", variations: kirha },
  { seed: "001", variations: plannerAgent },
  { seed: "002", variations: mcpCli },
  { seed: "003", variations: agentGrid },
  { seed: "004", variations: planExecute },
])("seed $seed", ({ seed, variations }) => {
  test.for(Object.entries(variations))("%s", { timeout: 60_000 }, async ([feature, rows]) => {
    const cases = rows.map(({ input, expected }, at): Case => {
      return { id: `${feature} ${at}`, seed, feature, input, expected, stance: "match" };
    });
    const outcomes = await runCases(cases);
    const wrong = outcomes.filter(({ status }) => status !== "passed");
    expect(
      wrong.map(({ case: { input }, status, mismatches, reason }) => ({ input, status, mismatches, reason })),
    ).toEqual([]);
  });
});
