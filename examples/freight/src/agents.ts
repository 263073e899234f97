import { z } from "zod";

const Shipment = z.looseObject({
  id: z.string(),
  carrier: z.string(),
  weight_kg: z.number(),
  has_contaminants: z.boolean(),
});

const RankedCarrier = z.object({
  rank: z.int(),
  carrier: z.string(),
  shipments: z.int(),
  with_contaminants: z.int(),
  /** 0 to 1, three decimals. */
  share: z.number(),
  tonnes: z.number(),
});
export type RankedCarrier = z.infer<typeof RankedCarrier>;

/**
 * Ranks carriers by the share of their shipments with contaminants, highest first; ties by name. A function stands here
 * for whatever is behind an agent: the same rows always give the same ranking.
 */
export function rankCarriers(shipments: readonly z.infer<typeof Shipment>[]): RankedCarrier[] {
  const byCarrier = new Map<string, { shipments: number; dirty: number; kilograms: number }>();
  for (const { carrier, has_contaminants, weight_kg } of shipments) {
    const sum = byCarrier.get(carrier) ?? { shipments: 0, dirty: 0, kilograms: 0 };
    sum.shipments++;
    if (has_contaminants) sum.dirty++;
    sum.kilograms += weight_kg;
    byCarrier.set(carrier, sum);
  }
  return [...byCarrier]
    .map(([carrier, sum]) => ({
      carrier,
      shipments: sum.shipments,
      with_contaminants: sum.dirty,
      share: Math.round((sum.dirty / sum.shipments) * 1_000) / 1_000,
      tonnes: Math.round(sum.kilograms / 100) / 10,
    }))
    .sort((a, b) => b.share - a.share || a.carrier.localeCompare(b.carrier, "en"))
    .map((entry, index) => ({ rank: index + 1, ...entry }));
}

/** Options for `defineAgent`. */
export const carrierAuditor = {
  id: "rank_carriers",
  name: "rank_carriers",
  description: "Ranks the carriers of shipments by their share with contaminants.",
  traits: ["deterministic"],
  skills: ["rank carriers"],
  schema: z.object({ shipments: z.array(Shipment).describe("Shipments to count.") }),
  output: z.array(RankedCarrier),
  send(input: Record<string, unknown>) {
    const parsed = z.object({ shipments: z.array(Shipment) }).safeParse(input);
    return parsed.success
      ? { success: true as const, data: rankCarriers(parsed.data.shipments) }
      : { success: false as const, message: `Expected shipments to rank: ${z.prettifyError(parsed.error)}` };
  },
};
