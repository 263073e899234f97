import { carrierAuditor, rankCarriers } from "@planloom/example-freight";
import { expect, test } from "vitest";

test("carriers are ranked by share, ties by name", () => {
  const carrier = ["B", "B", "A", "A", "C"];
  const has_contaminants = [true, false, true, false, true];
  expect(rankCarriers({ carrier, has_contaminants })).toEqual([
    { rank: 1, carrier: "C", shipments: 1, with_contaminants: 1, share: 1 },
    { rank: 2, carrier: "A", shipments: 2, with_contaminants: 1, share: 0.5 },
    { rank: 3, carrier: "B", shipments: 2, with_contaminants: 1, share: 0.5 },
  ]);
  expect(rankCarriers({ carrier: [], has_contaminants: [] })).toEqual([]);
});

test("the agent answers success with data, or says what it expected", () => {
  expect(carrierAuditor.send({ carrier: ["A"], has_contaminants: [true] })).toMatchObject({
    success: true,
    data: [{ carrier: "A" }],
  });
  expect(carrierAuditor.send({ carrier: "A" })).toMatchObject({
    success: false,
    message: expect.stringContaining("carrier"),
  });
  expect(carrierAuditor.send({ carrier: ["A"], has_contaminants: [] })).toMatchObject({ success: false });
});
