import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding, whole } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-28T09:00:00Z", timeZone: "UTC" };
const reading = { read_only: true } as const;

const kennel = [
  { ...toolNeeding("list_dogs", "List dogs", { limit: whole("How many at most") }, []), ...reading },
  { ...toolNeeding("get_dog", "Get a dog", { dog_id: text("ID of the dog") }), ...reading },
  { ...toolNeeding("get_dog_walks", "Get all walks of a dog", { dog_id: text("ID of the dog") }), ...reading },
  toolNeeding("groom_dog", "Groom a dog", { dog_id: text("ID of the dog") }),
  toolNeeding("add_remark", "Add a remark to a dog", {
    dog_id: text("ID of the dog"),
    remark: text("Text of the remark"),
  }),
];
const calls = (goal: string) => callsOf(goal, kennel, options);
const lower = (goal: string) => goal[0]!.toLowerCase() + goal.slice(1);

describe("manners change no plan", () => {
  const requests = [
    "Groom dog D-12",
    "Show me dog D-12 and its walks",
    "List dogs",
    "Add the remark 'deaf' to dog D-12",
  ];
  const manners: readonly (readonly [manner: string, say: (goal: string) => string])[] = [
    ["please", (goal) => `Please ${lower(goal)}`],
    ["could you", (goal) => `Could you please ${lower(goal)}?`],
    ["I'd like you to", (goal) => `I'd like you to ${lower(goal)}`],
    ["I want to", (goal) => `I want to ${lower(goal)}.`],
    ["a greeting", (goal) => `Hi there! Could you ${lower(goal)}?`],
    ["hey", (goal) => `Hey, ${lower(goal)}`],
    ["OK so", (goal) => `OK so ${lower(goal)}`],
    ["let's", (goal) => `Let's ${lower(goal)}`],
    ["go ahead and", (goal) => `Go ahead and ${lower(goal)}`],
    ["go and", (goal) => `Go and ${lower(goal)}`],
    ["can someone", (goal) => `Can someone ${lower(goal)}?`],
    ["it would be great", (goal) => `It would be great if you could ${lower(goal)}`],
    ["I'd appreciate it", (goal) => `I'd appreciate it if you could ${lower(goal)}.`],
    ["I'm trying to", (goal) => `I'm trying to ${lower(goal)}`],
    ["first", (goal) => `First ${lower(goal)}`],
    ["pls", (goal) => `pls ${lower(goal)}`],
    ["quickly", (goal) => `Just quickly ${lower(goal)}`],
    ["… please", (goal) => `${goal}, please.`],
    ["… thanks", (goal) => `${goal}. Thanks!`],
    ["… now", (goal) => `${goal} right now`],
  ];
  for (const request of requests)
    test.each(manners)(`${request}: %s`, (_, say) => {
      const plain = calls(request);
      expect(plain.length).toBeGreaterThan(0);
      expect(calls(say(request))).toEqual(plain);
    });

  test("give me, let me see", () => {
    expect(calls("Give me the walks of dog D-12")).toEqual([["get_dog_walks", { dog_id: "D-12" }]]);
    expect(calls("Let me see the walks of dog D-12")).toEqual([["get_dog_walks", { dog_id: "D-12" }]]);
  });

  test("what somebody needs is shown, unless it says how it is to be", () => {
    const walks = [["get_dog_walks", { dog_id: "D-12" }]];
    for (const lead of ["I need the", "We need to see the", "I'd like the", "I want to see all"])
      expect(calls(`${lead} walks of dog D-12`)).toEqual(walks);
    expect(calls("I want the dog D-12 groomed")).not.toContainEqual(["get_dog", { dog_id: "D-12" }]);
  });

  test("a value keeps its place in the goal as it was written", () => {
    const goal = "Hi! Could you please groom dog D-12, thanks";
    const { plan } = planGoal(goal, kennel, options);
    const provenance = plan.metadata?.provenance as Record<string, Record<string, { start: number }>>;
    expect(goal.slice(provenance.groom_dog?.dog_id?.start).startsWith("D-12")).toBe(true);
  });
});

describe("what is no courtesy stays", () => {
  test("a question is no request, however polite", () => {
    expect(calls("Would you groom D-12 if you were me?").map(([tool]) => tool)).not.toContain("groom_dog");
    expect(calls("I want to know whether dog D-12 was groomed").map(([tool]) => tool)).not.toContain("groom_dog");
  });

  test("what is not wanted is not done", () => {
    expect(calls("Please don't groom dog D-12").map(([tool]) => tool)).not.toContain("groom_dog");
    expect(calls("I'd like you to not groom dog D-12").map(([tool]) => tool)).not.toContain("groom_dog");
  });

  test("courtesies of a text that is written out", () => {
    expect(calls("Add to dog D-12 the remark: handle with care, please")).toEqual([
      ["add_remark", { dog_id: "D-12", remark: "handle with care, please" }],
    ]);
  });
});

describe("connectives of several words", () => {
  test.each(["and then", "and after that", "then", "and once that is done,", "and also then"])("%s", (joined) => {
    const { planned_tasks } = planGoal(`Groom dog D-12 ${joined} show me dog D-13`, kennel, options).plan;
    expect(planned_tasks.map(({ tool_id, dependencies = [] }) => [tool_id, dependencies])).toEqual([
      ["groom_dog", []],
      ["get_dog", ["groom_dog"]],
    ]);
  });

  test.each(["and", "and also", "as well as", "along with"])("%s", (joined) => {
    expect(calls(`Show me dog D-12 ${joined} its walks`)).toEqual([
      ["get_dog", { dog_id: "D-12" }],
      ["get_dog_walks", { dog_id: "D-12" }],
    ]);
  });
});

test("what somebody is to be shown is no verb, whatever it looks like", () => {
  const plots = [
    { ...toolNeeding("list_plots", "List the plots of a garden", { garden_id: text("ID of the garden") }), ...reading },
    {
      ...toolNeeding("get_plot", "Get a plot", {
        garden_id: text("ID of the garden"),
        plot_id: text("ID of the plot"),
      }),
      ...reading,
    },
  ];
  expect(callsOf("Show me plot P-12 in garden G-17", plots, options)).toEqual([
    ["get_plot", { garden_id: "G-17", plot_id: "P-12" }],
  ]);
});
