import { expect, test } from "vitest";
import { errorTraceLines } from "../../packages/cli/src/views/error-trace-view.ts";

test("what is kept of an error is shown: marks, causes, inner errors, the first frames", () => {
  const details = {
    error_name: "UpstreamError",
    error_code: "E_UP",
    error_status: 503,
    error_cause: { name: "TypeError", message: "fetch failed", cause: { message: "reset", code: "ECONNRESET" } },
    error_errors: [{ name: "Error", message: "one", status: 404 }],
    error_stack: `UpstreamError: upstream\n${Array.from({ length: 9 }, (_, i) => `    at f${i} (file.ts:${i})`).join("\n")}`,
  };
  expect(errorTraceLines({ details })).toEqual([
    "status 503, code E_UP",
    "caused by TypeError: fetch failed",
    "caused by reset (ECONNRESET)",
    "one of them Error: one (status 404)",
    ...[0, 1, 2, 3, 4].map((i) => `at f${i} (file.ts:${i})`),
  ]);
});

test("an error of an older journal, or a forged one, shows what it has", () => {
  expect(errorTraceLines({})).toEqual([]);
  expect(errorTraceLines({ details: { error_cause: "text", error_errors: [1, null], error_stack: 5 } })).toEqual([]);
});
