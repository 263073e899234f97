import { optionChecker } from "@planloom/plan";
import { expect, test } from "vitest";

const checks = {
  taskTimeoutMs: "positive",
  totalTimeoutMs: "positive",
  idleTimeoutMs: "positive",
  budgets: { options: { run: { options: { calls: "count", tokens: "count" } }, subgraphs: "object" } },
  tenant: { either: ["name", { options: { limits: { options: { calls: "count" } } } }] },
  concurrency: "count",
} as const;

/** What is said of options that are refused. */
function refusalOf(given: object): { readonly message: string; readonly candidates: unknown } {
  const check = optionChecker((message, details) => Object.assign(new Error(message), { details }));
  try {
    check("a run", given, checks as never);
  } catch (error) {
    const { message, details } = error as Error & { details: { candidates?: unknown } };
    return { message, candidates: details.candidates };
  }
  throw new Error("The options are not refused.");
}

test.for([
  {
    name: "a name that several have in them",
    given: { timeoutMs: 5 },
    meant: ["taskTimeoutMs", "totalTimeoutMs", "idleTimeoutMs"],
  },
  { name: "one letter less", given: { concurency: 5 }, meant: ["concurrency"] },
  {
    name: "an option of another one, a level too high",
    given: { budgets: { calls: 5 } },
    meant: ["budgets.run.calls"],
  },
  { name: "an option of another one, at the top", given: { tokens: 5 }, meant: ["budgets.run.tokens"] },
  { name: "one that is within two", given: { calls: 5 }, meant: ["budgets.run.calls", "tenant.limits.calls"] },
])("$name: what is meant is offered", ({ given, meant }) => {
  const { message, candidates } = refusalOf(given);
  expect(candidates).toEqual(meant);
  for (const each of meant) expect(message).toContain(`\`${each}\``);
  expect(message).toMatch(/: did you mean .*\?$/);
});

test("a name like no other gets the list of options", () => {
  expect(refusalOf({ zebra: 1 }).message).toBe(
    "Unknown option `zebra` of a run; the options are taskTimeoutMs, totalTimeoutMs, idleTimeoutMs, budgets, tenant, concurrency.",
  );
});
