import * as a2a from "@planloom/a2a";
import { expect, test } from "vitest";

test("exports and error codes are what users rely on", () => {
  expect(Object.keys(a2a).sort()).toEqual([
    "A2aError",
    "A2aErrorCode",
    "a2aDispatcher",
    "agentHandler",
    "connectAgents",
    "serveAgent",
  ]);
  expect(Object.values(a2a.A2aErrorCode).sort()).toEqual([
    "A2A_AUTH",
    "A2A_CANCELED",
    "A2A_CARD",
    "A2A_CLOSED",
    "A2A_CONNECT",
    "A2A_CONNECTION_LOST",
    "A2A_FAILED",
    "A2A_NOT_INSTALLED",
    "A2A_NO_AGENT",
    "A2A_OPTION",
    "A2A_ORIGIN",
    "A2A_PROTOCOL",
    "A2A_REFUSED",
    "A2A_REJECTED",
    "A2A_RESULT_TOO_LARGE",
    "A2A_SIGNATURE",
    "A2A_TIMEOUT",
    "A2A_UNKNOWN_AGENT",
    "A2A_UNREACHABLE",
  ]);
});
