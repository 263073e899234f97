import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { JsonSchema, Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { expect, test } from "vitest";

const text = { type: "string" } as const;
const tool = (id: string, takes: Readonly<Record<string, JsonSchema>>, output?: JsonSchema): Resource => ({
  kind: "tool",
  id,
  description: `${id}.`,
  input_schema: { type: "object", properties: takes, required: Object.keys(takes) },
  ...(output !== undefined && { output_schema: output }),
});
const search = tool(
  "search_film",
  { query: text },
  { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } },
);
const details = tool("film_details", { film_id: { type: "integer" } });
const cast = tool("film_cast", { film_id: { type: "integer" } });
const images = tool("GET /film/{film_id}/images", {});
const seek = tool("GET /search/film", { query: text });
const post = tool("post_review", { author_id: text, film: text });
const people = tool(
  "find_author",
  { name: text },
  { type: "array", items: { type: "object", properties: { id: text } } },
);

const call = (tool_id: string, words: string, given: object, task_id = "t1") => ({
  task_id,
  for: words,
  tool_id,
  arguments: given,
});

async function planned(goal: string, resources: readonly Resource[], ...tasks: unknown[]) {
  const model = scriptedModel(Array.from({ length: 3 }, () => JSON.stringify({ tasks })));
  const { planned_tasks, metadata } = await new Planner({
    controller: new LlmController({ model }),
    resources,
  }).createPlan(goal);
  return {
    tasks: planned_tasks,
    said: ((metadata?.issues ?? []) as { message: string }[]).map(({ message }) => message),
  };
}

test.for([
  { goal: 'Details of the film "One Punch Man"', name: "One Punch Man" },
  { goal: "Show me the details of The Dark Knight", name: "The Dark Knight" },
  { goal: "I just saw Titanic. What are its details?", name: "Titanic" },
])("an id that a model made up is looked up by the name that the request says: $goal", async ({ goal, name }) => {
  const { tasks, said } = await planned(
    goal,
    [search, details],
    call("film_details", "the details", { film_id: 1337 }),
  );
  expect(tasks).toMatchObject([
    { task_id: "t2", tool_id: "search_film", arguments: { query: name } },
    { task_id: "t1", dependencies: ["t2"], arguments: { film_id: "${t2[0].id}" } },
  ]);
  expect(said).toMatchObject([expect.stringContaining('`film_id` of task "t1" is not said')]);
});

test("a name in the place of an id is what is searched by", async () => {
  const { tasks } = await planned(
    "Let Ada Lovelace review Titanic",
    [people, post],
    call("post_review", "review", { author_id: "Ada Lovelace", film: "Titanic" }),
  );
  expect(tasks[0]).toMatchObject({ tool_id: "find_author", arguments: { name: "Ada Lovelace" } });
  expect(tasks[1]?.arguments).toEqual({ author_id: "${t2[0].id}", film: "Titanic" });
});

test("two calls read one search, also one that the model wrote", async () => {
  const goal = 'Details and cast of "Titanic"';
  const two = [
    call("film_details", "Details", { film_id: 17 }, "t2"),
    call("film_cast", "cast", { film_id: 17 }, "t3"),
  ];
  for (const tasks of [two, [call("search_film", "Titanic", { query: "Titanic" }, "t1"), ...two]]) {
    const plan = await planned(goal, [search, details, cast], ...tasks);
    const [first, ...others] = plan.tasks;
    expect(plan.tasks.map(({ tool_id }) => tool_id)).toEqual(["search_film", "film_details", "film_cast"]);
    for (const { arguments: given } of others) expect(given).toEqual({ film_id: `\${${first?.task_id}[0].id}` });
  }
});

test("a tool that says the id in its name alone comes after the search, where it is the first", async () => {
  const { tasks } = await planned(
    "Images of Star Wars, please",
    [seek, images],
    call("GET /film/{film_id}/images", "Images of Star Wars", {}),
  );
  expect(tasks).toMatchObject([
    { task_id: "t2", tool_id: "GET /search/film", arguments: { query: "Star Wars" } },
    { task_id: "t1", dependencies: ["t2"], arguments: {} },
  ]);
});

test.for([
  { name: "an id that the request says", goal: "Details of film 1337, Titanic", id: 1337 },
  { name: "where it names several things", goal: 'Details of "Titanic" and of "Alien"', id: 1337 },
  { name: "where it names nothing", goal: "Show me the details of my film", id: 1337 },
])("nothing is looked up for $name", async ({ goal, id }) => {
  const { tasks } = await planned(goal, [search, details], call("film_details", "the details", { film_id: id }));
  expect(tasks).toMatchObject([{ tool_id: "film_details", arguments: { film_id: id } }]);
});

test("an id that the model leaves open is no question where it can be looked up, and is one where it cannot", async () => {
  const open = call("film_details", "the details", { film_id: null });
  const { tasks } = await planned('Details of "Titanic"', [search, details], open);
  expect(tasks).toHaveLength(2);
  await expect(planned("Details of my film", [search, details], open)).rejects.toMatchObject({
    code: "PLANNER_OPEN_QUESTIONS",
  });
});
