import { EmbeddedController, planGoal } from "@planloom/embedded";
import { type JsonSchema, type Resource, TaskData } from "@planloom/plan";
import { Planner, PlannerErrorCode } from "@planloom/planner";
import { describe, expect, test } from "vitest";
import { text, tool as toolRecord } from "../support/tool-records.ts";

const tool = (id: string, description: string, properties: Record<string, JsonSchema>, required: string[]) =>
  toolRecord(`clinic/${id}`, description, properties, undefined, required);

/** A veterinary clinic: nine tools, none of which deletes, translates or plays anything. */
const clinic: readonly Resource[] = [
  tool("register_animal", "Register a new animal as a patient", { name: text("Name of the animal"), species: text() }, [
    "name",
    "species",
  ]),
  tool("list_patients", "List the patients of the clinic", { species: text("Only of this species") }, []),
  tool("book_visit", "Book a visit for a patient", { patient_id: text(), date: { type: "string", format: "date" } }, [
    "patient_id",
    "date",
  ]),
  tool("cancel_visit", "Cancel a booked visit", { visit_id: text("Identifier of the visit") }, ["visit_id"]),
  tool("get_vaccinations", "Get the vaccinations of a patient", { patient_id: text() }, ["patient_id"]),
  tool("prescribe_drug", "Prescribe a drug to a patient", { patient_id: text(), drug: text("Name of the drug") }, [
    "patient_id",
    "drug",
  ]),
  tool("weigh_patient", "Record the weight of a patient", { patient_id: text(), kilograms: { type: "number" } }, [
    "patient_id",
    "kilograms",
  ]),
  tool("send_invoice", "Send an invoice to an owner", { owner: text("Name of the owner"), euros: { type: "number" } }, [
    "owner",
    "euros",
  ]),
  tool(
    "attach_scan",
    "Attach a scan to the file of a patient",
    { path: text("Path of the scan"), patient_id: text() },
    ["path", "patient_id"],
  ),
];
const clock = { now: "2026-11-22T10:00:00Z", timeZone: "UTC" };
const plan = (goal: string) => planGoal(goal, clinic, clock).plan;
const chance = (goal: string) => Number(plan(goal).metadata?.confidence);

describe("how far a plan can be trusted", () => {
  test("what is said in full is likelier right than what is said in part, or in strange words", () => {
    const said = chance("Get the vaccinations of patient P-1042");
    expect(said).toBeGreaterThan(0.5);
    expect(chance("Get the vaccinations of patient P-1042, whose tail limps since the thunderstorm")).toBeLessThan(
      said,
    );
    expect(chance("Show me what the grey one with the limp has had so far against rabies")).toBeLessThan(said);
  });

  test("a plan that is likely wrong is a proposal, and says so as data, as an issue and in words", async () => {
    const goals = [
      "Get the vaccinations of patient P-1042",
      "Cancel the visit V-77",
      "Prescribe something against fleas to the tabby of Mrs Moon",
      "Weigh in on whether P-9 should be booked for dental work soon, 12 kilograms or not",
    ];
    const controller = new EmbeddedController(clock);
    const seen = new Set<boolean>();
    for (const goal of goals) {
      const { metadata, planned_tasks } = plan(goal);
      if (planned_tasks.length === 0) continue;
      const isProposal = Number(metadata?.confidence) < 0.8;
      seen.add(isProposal);
      expect(metadata?.proposal === true, goal).toBe(isProposal);
      const reply = await controller.processPhase1({
        search_id: "s",
        phase_1_data: { task_input_data: goal },
        resources: clinic,
      } as never);
      const issue = reply.issues?.find(({ code }) => code === "proposal");
      expect(issue?.severity, goal).toBe(isProposal ? "warning" : undefined);
      if (isProposal) expect(issue?.message).toContain(String(metadata?.confidence));
    }
    expect([...seen].sort()).toEqual([false, true]);
  });

  test("calls by exact names are guessed at nowhere; what one does not take counts against it", () => {
    expect(chance("book_visit patient_id=P-1 date=2026-12-01")).toBe(1);
    expect(chance("book_visit patient_id=P-1 date=2026-12-01 colour=red")).toBeLessThan(1);
  });
});

describe("a goal that nothing fits", () => {
  test.for([
    "Translate the novel into Portuguese and upload it to the archive",
    "Tune the piano in the concert hall",
    "Deploy the staging cluster to another region",
  ])("is refused with what comes nearest: %s", async (goal) => {
    const { planned_tasks, metadata } = plan(goal);
    expect(planned_tasks).toEqual([]);
    expect(metadata).toMatchObject({ confidence: 0 });
    expect(metadata?.proposal).toBeUndefined();
  });

  test("names the nearest tools, as data and in the error", async () => {
    const goal = "Tune /srv/organ/pipes-7.wav to baroque pitch";
    const { planned_tasks, metadata } = plan(goal);
    expect(planned_tasks).toEqual([]);
    expect(metadata?.nearest).toEqual([{ tool: "clinic/attach_scan" }]);
    const planner = new Planner({ controller: new EmbeddedController(clock), resources: clinic });
    const planned = planner.createPlan(goal);
    await expect(planned).rejects.toMatchObject({ code: PlannerErrorCode.NO_VALID_PLAN });
    await expect(planned).rejects.toThrow(/Nearest: .*`clinic\/attach_scan`/);
  });

  test("what a goal names is not refused, however much else it tells", () => {
    const named = plan("After the thunderstorm of last week the dog limps: prescribe the drug Carprofen");
    expect(named.planned_tasks.map(({ tool_id }) => tool_id)).toContain("clinic/prescribe_drug");
  });

  test("Stage 2 refuses nothing: a task of a plan is to be done by one of the tools it may be bound to", async () => {
    const reply = await new EmbeddedController(clock).processPhase2({
      search_id: "s",
      phase_2_data: { task_input_data: "" },
      task: TaskData.parse({ planned_tasks: [{ task_id: "t", description: "Look after the limp of P-1" }] })
        .planned_tasks[0],
      resources: clinic,
      input: { patient_id: "P-1", drug: "Carprofen" },
    } as never);
    expect(reply).toMatchObject({ success: true, data: { input_data: { patient_id: "P-1", drug: "Carprofen" } } });
  });
});
