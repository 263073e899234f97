import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { toolNeeding } from "../support/tool-records.ts";

const text = { type: "string" };
const tool = (
  id: string,
  description: string,
  properties: Record<string, JsonSchema>,
  required: string[],
  more: object = {},
): Resource => ({ ...toolNeeding(id, description, properties, required), ...more });
const member = { type: "object", properties: { id: text, name: text, contact_email: text, district: text } };
const choir = (output?: object): Resource[] => [
  tool("search_members", "Find members of the choir by name or district", { name: text, district: text }, [], {
    read_only: true,
    ...(output !== undefined && { output_schema: output }),
  }),
  tool("list_rehearsals", "Rehearsals that are planned", { hall: text }, [], { read_only: true }),
  tool("send_email", "Send an email", { to: { ...text, description: "address" }, subject: text, body: text }, [
    "to",
    "subject",
    "body",
  ]),
];
const read = (goal: string, tools: readonly Resource[] = choir()) => {
  const { plan, unresolved } = planGoal(goal, tools, { now: "2026-03-04T10:30:00Z", timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments ?? {}]),
    each: plan.planned_tasks.map((task) => task.for_each?.items),
    open: unresolved.map((each) => `${each.reason}: ${each.text}`),
  };
};

describe("a name is no address: the person is looked up", () => {
  const found = ["search_members", { name: "Ada Moss" }] as const;

  test("of a tool that does not say what it gives the field is supposed", () => {
    expect(read("Email Ada Moss that the hall is closed")).toMatchObject({
      calls: [found, ["send_email", { to: "${search_members[0].email}", body: "the hall is closed" }]],
      open: ["missing_argument: subject", "first_only: to"],
    });
  });

  test("what is declared is taken, also where the rest is said in quotations", () => {
    const goal = 'Send Ada Moss an email with subject "Late" and body "Sorry"';
    const to = "${search_members[0].contact_email}";
    expect(read(goal, choir({ type: "array", items: member })).calls).toEqual([
      found,
      ["send_email", { to, subject: "Late", body: "Sorry" }],
    ]);
  });

  test("an address that is written stays, and so does a name that no tool finds", () => {
    expect(read("Email ada@moss.example that the hall is closed").calls).toEqual([
      ["send_email", { to: "ada@moss.example", body: "the hall is closed" }],
    ]);
    expect(read("Email Ada Moss that the hall is closed", choir().slice(1)).calls).toMatchObject([
      ["send_email", { to: "Ada Moss" }],
    ]);
  });
});

describe("people of whom several are meant get a message each", () => {
  test.for([
    ["Email every member in Ely that we sing at 9", "Ely"],
    ["Email all members in Ely that we sing at 9", "Ely"],
    ["Email members in Ely that we sing at 9", "Ely"],
  ] as const)("%s", ([goal, district]) => {
    expect(read(goal, choir({ type: "array", items: member }))).toMatchObject({
      calls: [
        ["search_members", { district }],
        ["send_email", { to: "${item.contact_email}", body: "we sing at 9" }],
      ],
      each: [undefined, "${search_members}"],
      open: ["missing_argument: subject"],
    });
  });
});

test("the noun alone reaches nobody, so the receiver is asked for", () => {
  expect(read("Email the member that the hall is closed").open).toContain("missing_argument: to");
});

describe("a name beside nothing is the name of a thing, and not the place where it is", () => {
  test.for([undefined, { type: "array", items: member }])("found by a name or a district", (output) => {
    expect(read("Find Ada Moss", choir(output)).calls).toEqual([["search_members", { name: "Ada Moss" }]]);
    expect(read("Find member Ada Moss", choir(output)).calls).toEqual([["search_members", { name: "Ada Moss" }]]);
    expect(read("Find members in Ely", choir(output)).calls).toEqual([["search_members", { district: "Ely" }]]);
  });
});

test("who gets a text message is looked up as well, and a number that is written stays", () => {
  const tools = [
    tool("search_contacts", "Find contacts by name", { name: text }, ["name"], { read_only: true }),
    tool("send_message", "Send a text message", { to: { ...text, description: "phone number" }, text }, ["to", "text"]),
  ];
  expect(read("Text Ada that I am late", tools).calls).toEqual([
    ["search_contacts", { name: "Ada" }],
    ["send_message", { to: "${search_contacts[0].phone}", text: "I am late" }],
  ]);
  expect(read("Message +49 170 1234567: on my way", tools).calls).toEqual([
    ["send_message", { to: "+49 170 1234567", text: "on my way" }],
  ]);
});

describe("what is asked of somebody is no filter, and the name is theirs", () => {
  test.for([undefined, { type: "array", items: member }])(
    "where a tool finds people by a name or a district",
    (output) => {
      for (const goal of ["District of Ada Moss", "Which district does Ada Moss live in?", "Show member Ada Moss"])
        expect(read(goal, choir(output)).calls).toEqual([["search_members", { name: "Ada Moss" }]]);
    },
  );
});
