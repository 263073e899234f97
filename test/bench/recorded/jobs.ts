import { layeredDag, mulberry32 } from "../../support/layered-dag.ts";

/** What people ask of the freight company of `examples/freight`; its server has a database and takes 20 to 80 ms a call. */
export const freightGoals = [
  "Get facilities in Berlin, then their shipments, then check for contaminants",
  "Get shipments, facilities, and inspections",
  "Analyse today's contaminants in Hannover",
  "Get facilities in Hamburg, then their inspections and their shipments",
  "Get rejected inspections of facilities in Munich",
  "Show me this week's inspections and contaminants in Berlin",
  "List disposal facilities in Hamburg, then their rejected inspections and critical contaminants",
  "Get shipments of facilities in Berlin and shipments of facilities in Hamburg",
  "Get facilities in Hamburg, then their shipments, then rank their carriers and assess the facilities",
  "Get facilities in Berlin, facilities in Munich and facilities in Hannover, then the shipments of each",
  "Get delivered shipments with contaminants, then the contaminants of these shipments, and the inspections of these shipments",
  "Get facilities in Cologne, then assess them, then get their shipments and rank their carriers",
  "Get critical contaminants of this month, then the facilities where they were found",
  "Get pending inspections, rejected inspections, and sorting facilities in Berlin",
] as const;

interface BenchPlan {
  readonly title: string;
  readonly planned_tasks: readonly object[];
}

/** Plans of the shapes that our benches of the runtime, of faults and of tenants execute, in sizes that one can look at. */
export function benchPlans(): BenchPlan[] {
  return [
    // As bench:runtime has them: nine of ten tasks take 1 to 10 ms, the others ten times as long.
    layered("timed, 60 tasks", { tasks: 60, width: 8, seed: 7 }),
    layered("timed, 200 tasks", { tasks: 200, width: 16, seed: 8 }),
    layered("timed, 400 tasks", { tasks: 400, width: 40, seed: 9 }),
    // As bench:faults.
    layered("layers, 120 tasks", { tasks: 120, width: 12, seed: 11 }),
    // As bench:tenants: nothing depends on anything.
    planOf("tenant, 10 tasks", new Array<number[]>(10).fill([]), () => 5),
    planOf("parts and a whole", [
      [],
      ...new Array<number[]>(24).fill([0]),
      Array.from({ length: 24 }, (_, at) => at + 1),
    ]),
  ];
}

function layered(title: string, shape: Parameters<typeof layeredDag>[0]): BenchPlan {
  return planOf(title, layeredDag(shape));
}

/** @param parents of each task, which stand before it. @param msOf how long a task takes. @default seeded as the timed plan of bench:runtime */
function planOf(title: string, parents: readonly (readonly number[])[], msOf?: () => number): BenchPlan {
  const random = mulberry32(8);
  const usual = () => (random() < 0.9 ? 1 + Math.floor(10 * random()) : 90 + Math.floor(11 * random()));
  return {
    title,
    planned_tasks: parents.map((above, number) => ({
      task_id: `t${number}`,
      execution_type: "tool",
      tool_id: "work",
      dependencies: above.map((parent) => `t${parent}`),
      arguments: { ms: (msOf ?? usual)(), characters: Math.floor(2 ** (3 + 12 * random())) },
    })),
  };
}
