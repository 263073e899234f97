import { expect, test } from "vitest";
import { journaledSession, wordsToBeginAgain } from "../../packages/cli/src/journaled-session.ts";

const io = { cwd: process.cwd(), env: {} } as never;
const flags = {
  modelApi: "responses",
  modelTimeout: 900,
  maxTokens: 500,
  temperature: 0,
  reasoningEffort: "low",
  structuredOutput: "tool",
} as const;
const hybrid = { minConfidence: 0.5, prefer: "model" } as const;
const stored = { cli: { controller: "hybrid", model: "m", ...flags, ...hybrid } };

test("a resumption asks as the run was begun", async () => {
  expect(await journaledSession(stored, {}, io)).toEqual({ controller: "hybrid", model: "m", ...flags, ...hybrid });
  expect(await journaledSession(stored, { temperature: 0.4, model: "m" }, io)).toMatchObject({
    temperature: 0.4,
    modelTimeout: 900,
  });
});

test("what belongs to another model or controller is not taken over", async () => {
  expect(await journaledSession(stored, { model: "n" }, io)).toEqual({ controller: "hybrid", model: "n", ...hybrid });
  expect(await journaledSession(stored, { controller: "llm" }, io)).toEqual({
    controller: "llm",
    model: "m",
    ...flags,
  });
});

test("what no command line would take is not taken from a journal", async () => {
  const cli = {
    modelApi: "soap",
    modelTimeout: -1,
    maxTokens: 1.5,
    temperature: "hot",
    reasoningEffort: "",
    structuredOutput: "yaml",
    minConfidence: 2,
    prefer: {},
    planCheck: "sometimes",
  };
  expect(await journaledSession({ cli }, {}, io)).toEqual({});
});

test("the words that begin such a run again have them", () => {
  expect(wordsToBeginAgain({ controller: "hybrid", ...hybrid, modelTimeout: 900 }).join(" ")).toBe(
    "--controller hybrid --model-timeout 900 --min-confidence 0.5 --prefer model",
  );
  expect(wordsToBeginAgain({ controller: "llm", planCheck: "none" }).join(" ")).toBe(
    "--controller llm --plan-check none",
  );
});
