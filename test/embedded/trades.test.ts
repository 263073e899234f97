import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { harbour, museum, theatre, vineyard } from "../support/trade-tools.ts";

/** Goals over four invented trades, as a careful person would plan them; each trade is offered with the next one. */
const stepsFor = (goal: string, resources: readonly (typeof vineyard)[]) =>
  stepsOf(planGoal(goal, resources.flat(), { now: "2024-01-01T00:00:00Z", timeZone: "UTC" }).plan.planned_tasks);

type Expected = readonly (readonly [tool: string, params: object])[];

describe.for<{ trade: readonly (typeof vineyard)[]; goals: readonly (readonly [goal: string, steps: Expected])[] }>([
  {
    trade: [vineyard, theatre],
    goals: [
      [
        "Look up the parcel called Les Amandiers and tell me what yield we can expect from it in 2026.",
        [
          ["lookup_parcel", { parcel_name: "Les Amandiers" }],
          ["estimate_yield", { parcel_id: "${step[0].parcel_id}", vintage: 2026 }],
        ],
      ],
      [
        "We need pickers for the Clos Verger parcel: work out the tonnes for the 2025 vintage with cordon pruning, then book a crew starting on 2025-09-14 under Mireille Aubert.",
        [
          ["lookup_parcel", { parcel_name: "Clos Verger" }],
          ["estimate_yield", { parcel_id: "${step[0].parcel_id}", vintage: 2025, pruning: "cordon" }],
          [
            "book_pickers",
            { tonnes: "${step[1].expected_tonnes}", start_date: "2025-09-14", crew_leader: "Mireille Aubert" },
          ],
        ],
      ],
      [
        "I'd like a rustic label for our wine 'Petit Orage', made from Carignan, and afterwards 1200 of them printed on cotton paper.",
        [
          ["design_label", { wine_name: "Petit Orage", grape: "Carignan", style: "rustic" }],
          ["print_labels", { label_url: "${step[0].label_url}", quantity: 1200, paper: "cotton" }],
        ],
      ],
    ],
  },
  {
    trade: [theatre, museum],
    goals: [
      [
        "Find the play 'The Glass Heron' by Ida Morel and get a licence for 12 performances at the Old Granary.",
        [
          ["find_play", { title: "The Glass Heron", author: "Ida Morel" }],
          ["license_play", { play_code: "${step[0].play_code}", performances: 12, venue: "Old Granary" }],
        ],
      ],
      [
        "Hire 14 Victorian costumes and pay the deposit to Brandt Wardrobe with the remark 'autumn show'.",
        [
          ["hire_costumes", { period: "Victorian", pieces: 14 }],
          ["pay_invoice", { amount: "${step[0].deposit}", payee: "Brandt Wardrobe", memo: "autumn show" }],
        ],
      ],
    ],
  },
  {
    trade: [museum, harbour],
    goals: [
      [
        "The charcoal from find F-2291 has to be dated; calibrate the age with IntCal20 after that.",
        [
          ["date_sample", { find_number: "F-2291", material: "charcoal" }],
          ["calibrate_age", { years_bp: "${step[0].years_bp}", curve: "IntCal20" }],
        ],
      ],
    ],
  },
  {
    trade: [harbour, vineyard],
    goals: [
      [
        "Request a berth with shore power for the Nordlys, 86 metres long, arriving at 14:30, and bunker 40 tonnes of LNG there.",
        [
          ["request_berth", { vessel: "Nordlys", length_m: 86, arrival: "14:30", shore_power: true }],
          ["bunker_fuel", { berth_no: "${step[0].berth_no}", fuel_type: "LNG", tonnes: 40 }],
        ],
      ],
    ],
  },
])("arguments", ({ trade, goals }) => {
  test.for(goals)("%s", ([goal, steps]) => {
    expect(stepsFor(goal, trade).map(({ tool: name, params }) => [name, params])).toEqual(steps);
  });
});

test.for<readonly [goal: string, trade: readonly (typeof vineyard)[], ...calls: (readonly [string, number[]])[]]>([
  [
    "Could you write a programme note of 250 words for 'Salt Road' about exile and homecoming, have it translated into Danish and mail the Danish version to our patrons with the subject 'New season'?",
    [theatre, museum],
    ["write_programme", []],
    ["translate_note", [0]],
    ["mail_subscribers", [1]],
  ],
  [
    "An oak bowl came out of trench B2, 120 cm down. Enter it in the register, give it a place in the depot at 55 per cent humidity and date it using a seed.",
    [museum, harbour],
    ["register_find", []],
    ["store_object", [0]],
    ["date_sample", [0]],
  ],
  [
    "The turbine housing needs to be weighed on the north bridge. Rent a crane that can lift it for 6 hours at berth 17.",
    [harbour, vineyard],
    ["weigh_cargo", []],
    ["rent_crane", [0]],
  ],
])("calls and what they wait for: %s", ([goal, trade, ...calls]) => {
  expect(stepsFor(goal, trade).map(({ tool: name, depends_on }) => [name, depends_on])).toEqual(calls);
});
