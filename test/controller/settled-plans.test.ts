import { HybridController, LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import { EmbeddedController } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { describe, expect, test } from "vitest";

const text = { type: "string" } as const;
const tool = (id: string, properties: object, required: readonly string[] = [], gives: object = {}): Resource => ({
  kind: "tool",
  id,
  description: id,
  input_schema: { type: "object", properties, required: [...required] },
  output_schema: { type: "object", properties: gives },
});
const resources = [
  tool("find_person", { name: text }, ["name"], { id: text }),
  tool("list_films", { person_id: text, year: { type: "integer" } }, ["person_id"], { titles: text }),
  tool("list_shows", { person_id: text }, ["person_id"], { titles: text }),
  tool("newest_film", {}, [], { title: text }),
  tool("translate", { text, language: text, tone: text }, ["text", "language"], { text }),
  tool("send_mail", { to: text, subject: text, body: text }, ["to", "body"]),
];

interface Drafted {
  readonly id: string;
  readonly arguments: object;
  readonly likelihood?: number;
  readonly words?: string;
  readonly alternatives?: readonly string[];
  readonly values?: Readonly<Record<string, number>>;
  readonly missing?: string;
}

/** A draft of these calls, with what the embedded planner says of its own, and the plan that comes of the model's tasks. */
async function planned(goal: string, drafted: readonly Drafted[], tasks: readonly object[], prefer?: "model") {
  const chosen = drafted.filter(({ likelihood }) => likelihood !== undefined);
  const metadata = {
    confidence: 0.1,
    choices: Object.fromEntries(
      chosen.map(({ id, likelihood, words = "", alternatives = [] }) => [
        id,
        { text: words, score: 1, likelihood, alternatives: alternatives.map((tool) => ({ tool })) },
      ]),
    ),
    provenance: Object.fromEntries(
      drafted.map(({ id, values = {} }) => [
        id,
        Object.fromEntries(Object.entries(values).map(([name, likelihood]) => [name, { source: "goal", likelihood }])),
      ]),
    ),
  };
  const planned_tasks = drafted.map(({ id, arguments: given }) => ({
    ...{ task_id: id, description: id, execution_type: "tool", tool_id: id, arguments: given },
    dependencies: [...JSON.stringify(given).matchAll(/\$\{(\w+)/g)].map(([, source]) => source),
  }));
  const issues = drafted.flatMap(({ id, missing }) =>
    missing === undefined
      ? []
      : [
          {
            code: "unresolved" as const,
            severity: "warning" as const,
            task_id: id,
            argument_path: missing,
            message: "open",
          },
        ],
  );
  const reply = async () => ({ success: true as const, data: { planned_tasks, metadata }, issues });
  const draft = { name: "rules", processPhase1: reply, processPhase2: reply };
  const model = scriptedModel([JSON.stringify({ tasks })]);
  const refine = new LlmController({ model });
  const controller = new HybridController({ draft, refine, ...(prefer && { prefer }) });
  const plan = await new Planner({ controller, resources, maxAttempts: 1 }).createPlan(goal);
  const calls = plan.planned_tasks.map(({ task_id, tool_id, arguments: given }) => ({ task_id, tool_id, given }));
  const origins = (plan.metadata?.draft as { tasks: object } | undefined)?.tasks;
  return { calls, origins };
}

const call = (task_id: string, tool_id: string, given: object, words: string) => ({
  ...{ task_id, for: words, tool_id },
  arguments: given,
});

describe("arguments", () => {
  const goal = "Translate good evening to Danish";
  const drafted = (given: object, more: Partial<Drafted> = {}) => [
    { id: "translate", arguments: given, likelihood: 0.9, ...more },
  ];
  const given = (language: unknown, said = "good evening") => [call("t1", "translate", { text: said, language }, goal)];

  test("what the draft leaves open is the model's", async () => {
    const { calls } = await planned(goal, drafted({ language: "Danish" }, { missing: "text" }), given("Danish"));
    expect(calls).toMatchObject([{ task_id: "translate", given: { text: "good evening", language: "Danish" } }]);
  });

  test("a value that the draft is sure of stays", async () => {
    const sure = drafted({ text: "good evening", language: "Danish" }, { values: { text: 0.9, language: 0.9 } });
    const { calls } = await planned(goal, sure, given("evening", "good"));
    expect(calls[0]?.given).toEqual({ text: "good evening", language: "Danish" });
  });

  test("a value that it is not sure of is the model's", async () => {
    const unsure = drafted({ text: "evening", language: "Danish" }, { values: { text: 0.4, language: 0.9 } });
    const { calls } = await planned(goal, unsure, given("Danish"));
    expect(calls[0]?.given).toEqual({ text: "good evening", language: "Danish" });
  });

  test("a reference of the draft stays where the model makes a value up", async () => {
    const goal = "Find Ida and list her films";
    const chain: Drafted[] = [
      { id: "find_person", arguments: { name: "Ida" }, likelihood: 0.9 },
      { id: "list_films", arguments: { person_id: "${find_person.id}" }, likelihood: 0.9, values: { person_id: 0.7 } },
    ];
    const { calls } = await planned(goal, chain, [
      call("t1", "find_person", { name: "Ida" }, "Find Ida"),
      call("t2", "list_films", { person_id: "12345" }, "list her films"),
    ]);
    expect(calls.map(({ given }) => given)).toEqual([{ name: "Ida" }, { person_id: "${find_person.id}" }]);
  });
});

describe("calls", () => {
  test("the search before a call stays where the model leaves it out", async () => {
    const { calls, origins } = await planned(
      "List films of Ida Lupino at Nordisk",
      [
        { id: "find_person", arguments: { name: "Ida Lupino" } },
        { id: "list_films", arguments: { person_id: "${find_person.id}" }, likelihood: 0.9 },
      ],
      [call("t1", "list_films", { person_id: "77" }, "films")],
    );
    expect(calls.map(({ tool_id }) => tool_id)).toEqual(["find_person", "list_films"]);
    expect(origins).toEqual({ find_person: "draft", list_films: "both" });
  });

  const unsure = (likelihood: number): Drafted[] => [
    { id: "find_person", arguments: { name: "Ida Lupino" } },
    {
      ...{ id: "list_films", arguments: { person_id: "${find_person.id}" }, likelihood },
      words: "Which series did Ida Lupino make",
      alternatives: ["list_shows", "newest_film"],
    },
  ];
  const goal = "Which series did Ida Lupino make";
  const shows = [call("t1", "list_shows", { person_id: "77" }, "series of Ida Lupino")];

  test("an alternative that the model calls takes the place of a call that the draft is not sure of, with what it reads", async () => {
    const { calls, origins } = await planned(goal, unsure(0.4), shows);
    expect(calls).toMatchObject([
      { tool_id: "find_person" },
      { tool_id: "list_shows", given: { person_id: "${find_person.id}" } },
    ]);
    expect(origins).toEqual({ find_person: "both", t1: "model" });
  });

  test("not of one that it is sure of", async () => {
    const { calls } = await planned(goal, unsure(0.8), shows);
    expect(calls.map(({ tool_id }) => tool_id)).toEqual(["find_person", "list_films"]);
  });

  test("nor does one that loses what the goal names", async () => {
    const { calls } = await planned(goal, unsure(0.4), [call("t1", "newest_film", {}, "series")]);
    expect(calls.map(({ tool_id }) => tool_id)).toEqual(["find_person", "list_films"]);
  });

  test("a model that is preferred has its calls", async () => {
    const { calls } = await planned(goal, unsure(0.8), shows, "model");
    expect(calls.map(({ tool_id }) => tool_id)).toEqual(["find_person", "list_shows"]);
  });

  const mail = { to: "ada@example.com", body: "${t1.titles}" };
  const films: Drafted[] = [
    { id: "list_films", arguments: { person_id: "p7" }, likelihood: 0.8, words: "List films of p7" },
  ];
  test("a call for words that the draft has no call for is added", async () => {
    const { calls, origins } = await planned("List films of p7 and mail them to ada@example.com", films, [
      call("t1", "list_films", { person_id: "p7" }, "List films of p7"),
      call("t2", "send_mail", mail, "mail them to ada@example.com"),
    ]);
    expect(calls[1]).toMatchObject({ tool_id: "send_mail", given: { body: "${list_films.titles}" } });
    expect(origins).toEqual({ list_films: "both", t2: "model" });
  });

  test("one for words that it has a call for is not", async () => {
    const { calls } = await planned("List films of p7", films, [
      call("t1", "list_films", { person_id: "p7" }, "List films of p7"),
      call("t2", "list_shows", { person_id: "p7" }, "films of p7"),
    ]);
    expect(calls.map(({ tool_id }) => tool_id)).toEqual(["list_films"]);
  });

  test("where the model makes every call that the draft is very sure of, the others are the model's", async () => {
    const drafted: Drafted[] = [
      { id: "list_films", arguments: { person_id: "p7" }, likelihood: 0.95, words: "List films of p7" },
      { id: "newest_film", arguments: {}, likelihood: 0.8, words: "and the newest shows" },
    ];
    const { calls } = await planned("List films of p7 and the newest shows", drafted, [
      call("t1", "list_films", { person_id: "p7" }, "List films of p7"),
      call("t2", "list_shows", { person_id: "p7" }, "the newest shows"),
    ]);
    expect(calls.map(({ tool_id }) => tool_id)).toEqual(["list_films", "list_shows"]);
  });

  test("ids of both do not collide, and each task comes after what it reads", async () => {
    const { calls } = await planned(
      "Translate hej to Danish and mail it to ada@example.com",
      [
        {
          ...{ id: "translate", arguments: { text: "hej", language: "Danish" }, likelihood: 0.8 },
          words: "Translate hej to Danish",
        },
      ],
      [
        call("t9", "translate", { text: "hej", language: "Danish" }, "Translate hej to Danish"),
        call("translate", "send_mail", { to: "ada@example.com", body: "${t9.text}" }, "mail it to ada@example.com"),
      ],
    );
    expect(calls).toMatchObject([
      { task_id: "translate", tool_id: "translate" },
      { task_id: "translate_2", tool_id: "send_mail", given: { body: "${translate.text}" } },
    ]);
  });
});

test("resources that the draft considered come first among those that the model is shown", async () => {
  const many = Array.from({ length: 40 }, (_, at) => tool(`other_film_tool_${at}`, { name: text }));
  const model = scriptedModel([JSON.stringify({ tasks: [call("t1", "newest_film", {}, "newest")] })]);
  const reply = async () => ({
    success: true as const,
    data: {
      planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "newest_film", arguments: {} }],
      metadata: {
        confidence: 0.1,
        choices: { a: { text: "newest film", likelihood: 0.3, alternatives: [{ tool: "send_mail" }] } },
      },
    },
  });
  const draft = { name: "rules", processPhase1: reply, processPhase2: reply };
  const controller = new HybridController({ draft, refine: new LlmController({ model }) });
  await new Planner({ controller, resources: [...many, ...resources] }).createPlan("other film tool");
  const system = model.requests[0]?.messages[0]?.content ?? "";
  const at = (id: string) => system.indexOf(`"${id}"`);
  expect(at("newest_film")).toBeGreaterThan(0);
  expect(at("send_mail")).toBeGreaterThan(at("newest_film"));
  expect(at("other_film_tool_1")).toBeGreaterThan(at("send_mail"));
});

test("the embedded planner says how likely each of its calls is right", async () => {
  const { data } = await new EmbeddedController({ now: "2025-01-01" }).processPhase1({
    search_id: "s",
    phase_1_data: { task_input_data: "", n_history_samples: 0, llm_data: {} },
    job: { job_goal: "Translate the text good evening" },
    resources,
  });
  const { choices } = (data as { metadata: { choices: Record<string, { likelihood: number }> } }).metadata;
  expect(choices.translate?.likelihood).toBeGreaterThan(0.7);
});
