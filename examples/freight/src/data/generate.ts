import { facilityTypes } from "../catalogue.ts";
import { type Random, seededRandom } from "./random.ts";

export interface FacilityRow {
  id: string;
  name: string;
  location: string;
  type: string;
  capacity: number;
}
export interface ShipmentRow {
  id: string;
  facility_id: string;
  day: number;
  status: string;
  waste_type: string;
  carrier: string;
  weight_kg: number;
  has_contaminants: number;
}
export interface ContaminantRow {
  id: string;
  shipment_id: string;
  facility_id: string;
  day: number;
  type: string;
  risk_level: string;
  concentration: number;
}
export interface InspectionRow {
  id: string;
  shipment_id: string;
  facility_id: string;
  day: number;
  status: string;
  inspector: string;
  has_risk_contaminants: number;
}
export interface FreightData {
  facilities: FacilityRow[];
  shipments: ShipmentRow[];
  contaminants: ContaminantRow[];
  inspections: InspectionRow[];
}

export const cities = [
  "Berlin",
  "Hannover",
  "Hamburg",
  "Munich",
  "Cologne",
  "Frankfurt",
  "Stuttgart",
  "Leipzig",
  "Dresden",
  "Bremen",
  "Dortmund",
  "Essen",
  "Düsseldorf",
  "Nuremberg",
  "Kiel",
  "Rostock",
] as const;

/** Made-up companies, and how often something is wrong with what they bring: there is something to find out. */
const carriers = [
  { name: "Adlerfracht GmbH", dirt: 0.08 },
  { name: "Blauwal Logistik", dirt: 0.12 },
  { name: "Eichhorn Spedition", dirt: 0.16 },
  { name: "Kranich Transporte", dirt: 0.2 },
  { name: "Lotsenfracht AG", dirt: 0.1 },
  { name: "Marder & Sohn", dirt: 0.34 },
  { name: "Silberpfad Logistik", dirt: 0.14 },
] as const;

const loads = [
  "mixed plastic",
  "paper",
  "glass",
  "scrap metal",
  "electronics",
  "organic",
  "construction rubble",
  "textiles",
] as const;
const substances = [
  "lead",
  "mercury",
  "asbestos",
  "solvent",
  "battery acid",
  "mould",
  "mineral oil",
  "cadmium",
] as const;
const inspectors = ["A. Brandt", "J. Lehmann", "M. Okafor", "S. Petersen", "T. Yildiz", "K. Wagner"] as const;
const halls = ["Nord", "Süd", "Ost", "West", "Hafen"] as const;

/** 120 days, 20 shipments on each, and one more in every city today. */
const days = 120;
const shipmentsPerDay = 20;

/** The same rows on every call. Linear in the number of shipments. */
export function generateFreight(seed = 7_419): FreightData {
  const random = seededRandom(seed);
  const data: FreightData = { facilities: facilities(random), shipments: [], contaminants: [], inspections: [] };
  for (let day = 1 - days; day <= 0; day++) {
    for (let count = 0; count < shipmentsPerDay; count++) {
      const carrier = random.pick(carriers);
      addShipment(data, random, {
        day,
        facility: random.pick(data.facilities),
        carrier: carrier.name,
        dirty: random.chance(carrier.dirt),
      });
    }
  }
  // Whichever city is asked about today has something to show.
  for (const city of cities) {
    const facility = data.facilities.find(({ location }) => location === city)!;
    addShipment(data, random, { day: 0, facility, carrier: random.pick(carriers).name, dirty: true });
  }
  return data;
}

function facilities(random: Random): FacilityRow[] {
  return cities
    .flatMap((location) =>
      halls
        .slice(0, location === "Berlin" || location === "Hamburg" ? 4 : random.between(2, 3))
        .map((hall) => ({ location, hall })),
    )
    .map(({ location, hall }, index) => ({
      id: code("F", index + 1, 2),
      name: `${location} ${hall}`,
      location,
      type: facilityTypes[index % facilityTypes.length]!,
      capacity: random.between(4, 40) * 25,
    }));
}

interface Arrival {
  readonly day: number;
  readonly facility: FacilityRow;
  readonly carrier: string;
  readonly dirty: boolean;
}

function addShipment(data: FreightData, random: Random, arrival: Arrival): void {
  const { day, facility, carrier, dirty } = arrival;
  const shipment: ShipmentRow = {
    id: code("S", data.shipments.length + 1, 4),
    facility_id: facility.id,
    day,
    status: "delivered",
    waste_type: random.pick(loads),
    carrier,
    weight_kg: random.between(16, 480) * 50,
    has_contaminants: dirty ? 1 : 0,
  };
  const found = dirty ? addContaminants(data, random, shipment) : [];
  const grave = found.some(({ risk_level }) => risk_level === "high" || risk_level === "critical");
  shipment.status = shipmentStatus(random, day, grave);
  data.shipments.push(shipment);
  if (dirty || random.chance(0.4)) addInspection(data, random, shipment, grave);
}

function shipmentStatus(random: Random, day: number, grave: boolean): string {
  if (day >= -1 && random.chance(0.5)) return random.chance(0.5) ? "pending" : "in_transit";
  return random.chance(grave ? 0.6 : 0.03) ? "rejected" : "delivered";
}

function addContaminants(data: FreightData, random: Random, shipment: ShipmentRow): ContaminantRow[] {
  const rows = Array.from({ length: random.between(1, 3) }, (_, index): ContaminantRow => {
    const concentration = Math.round(random.next() ** 2 * 900) + 5;
    return {
      id: code("C", data.contaminants.length + index + 1, 4),
      shipment_id: shipment.id,
      facility_id: shipment.facility_id,
      day: shipment.day,
      type: random.pick(substances),
      risk_level: riskLevel(concentration),
      concentration,
    };
  });
  data.contaminants.push(...rows);
  return rows;
}

function riskLevel(concentration: number): string {
  if (concentration < 100) return "low";
  if (concentration < 300) return "medium";
  return concentration < 600 ? "high" : "critical";
}

function addInspection(data: FreightData, random: Random, shipment: ShipmentRow, grave: boolean): void {
  const open = shipment.status === "pending" || shipment.status === "in_transit";
  data.inspections.push({
    id: code("I", data.inspections.length + 1, 4),
    shipment_id: shipment.id,
    facility_id: shipment.facility_id,
    day: Math.min(0, shipment.day + random.between(0, 1)),
    status: open ? "pending" : shipment.status === "rejected" ? "rejected" : "accepted",
    inspector: random.pick(inspectors),
    has_risk_contaminants: grave ? 1 : 0,
  });
}

const code = (letter: string, number: number, digits: number): string =>
  `${letter}${String(number).padStart(digits, "0")}`;
