import { z } from "zod";

const RankedCarrier = z.object({
  rank: z.int(),
  carrier: z.string(),
  shipments: z.int(),
  with_contaminants: z.int(),
  /** 0 to 1, three decimals. */
  share: z.number(),
});
export type RankedCarrier = z.infer<typeof RankedCarrier>;

/** Two columns of a list of shipments, row by row: a plan hands them over as `${shipments.*.carrier}` and so on. */
const Columns = z.object({
  carrier: z.array(z.string()).describe("Company of each shipment."),
  has_contaminants: z.array(z.boolean()).describe("With or without, for each shipment."),
});

/**
 * Ranks carriers by the share of their shipments with contaminants, highest first; ties by name. A function stands here
 * for whatever is behind an agent: the same rows always give the same ranking.
 */
export function rankCarriers(columns: z.infer<typeof Columns>): RankedCarrier[] {
  const byCarrier = new Map<string, { shipments: number; dirty: number }>();
  for (const [row, carrier] of columns.carrier.entries()) {
    const sum = byCarrier.get(carrier) ?? { shipments: 0, dirty: 0 };
    sum.shipments++;
    if (columns.has_contaminants[row]) sum.dirty++;
    byCarrier.set(carrier, sum);
  }
  return [...byCarrier]
    .map(([carrier, { shipments, dirty }]) => ({
      carrier,
      shipments,
      with_contaminants: dirty,
      share: Math.round((dirty / shipments) * 1_000) / 1_000,
    }))
    .sort((a, b) => b.share - a.share || a.carrier.localeCompare(b.carrier, "en"))
    .map((entry, index) => ({ rank: index + 1, ...entry }));
}

/** Options for `defineAgent`. */
export const carrierAuditor = {
  id: "rank_carriers",
  name: "rank_carriers",
  description: "Ranks carriers by their share of shipments with contaminants.",
  readOnly: true,
  traits: ["deterministic"],
  skills: ["rank carriers"],
  schema: Columns,
  output: z.array(RankedCarrier),
  send(input: Record<string, unknown>) {
    const parsed = Columns.safeParse(input);
    if (!parsed.success) return refusal(z.prettifyError(parsed.error));
    const { carrier, has_contaminants } = parsed.data;
    if (carrier.length === has_contaminants.length) return { success: true as const, data: rankCarriers(parsed.data) };
    return refusal(`columns of equal length, got ${carrier.length} and ${has_contaminants.length}`);
  },
};

function refusal(expected: string) {
  return { success: false as const, message: `Expected the carrier and has_contaminants of shipments: ${expected}` };
}
