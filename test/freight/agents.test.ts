import { carrierAuditor, rankCarriers } from "@planloom/example-freight";
import { expect, test } from "vitest";

const shipment = (carrier: string, has_contaminants: boolean, weight_kg = 1_000) => ({
  id: "S1",
  carrier,
  has_contaminants,
  weight_kg,
});

test("carriers are ranked by share, ties by name", () => {
  const ranking = rankCarriers([
    shipment("B", true),
    shipment("B", false, 500),
    shipment("A", true),
    shipment("A", false),
    shipment("C", true),
  ]);
  expect(ranking).toEqual([
    { rank: 1, carrier: "C", shipments: 1, with_contaminants: 1, share: 1, tonnes: 1 },
    { rank: 2, carrier: "A", shipments: 2, with_contaminants: 1, share: 0.5, tonnes: 2 },
    { rank: 3, carrier: "B", shipments: 2, with_contaminants: 1, share: 0.5, tonnes: 1.5 },
  ]);
  expect(rankCarriers([])).toEqual([]);
});

test("the agent answers success with data, or says what it expected", () => {
  expect(carrierAuditor.send({ shipments: [shipment("A", true)] })).toMatchObject({
    success: true,
    data: [{ carrier: "A" }],
  });
  expect(carrierAuditor.send({ shipments: "none" })).toMatchObject({
    success: false,
    message: expect.stringContaining("shipments"),
  });
});
