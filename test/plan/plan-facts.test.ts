import {
  type PlannerTaskInput,
  type Resource,
  resourceCatalogue,
  type TaskDataInput,
  validatePlan,
} from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { EdgeList } from "../../packages/plan/src/graph/edge-list.ts";
import { gatherFacts, innerFacts, readOrder, readReferences } from "../../packages/plan/src/validation/plan-facts.ts";
import { readStructure } from "../../packages/plan/src/validation/read-structure.ts";
import { array, number, object, text } from "../support/checked-tools.ts";

const resources: Resource[] = [
  {
    kind: "tool",
    id: "list",
    description: "",
    output_schema: object({ rows: array(object({ id: number, tags: array(text) })), total: number }),
  },
  {
    kind: "tool",
    id: "count",
    description: "",
    input_schema: object({ n: number }),
    output_schema: object({ n: number }),
  },
];
const catalogue = resourceCatalogue(resources);
const list: PlannerTaskInput = { task_id: "list", tool_id: "list" };
const count = (task_id: string, more: PlannerTaskInput = {}): PlannerTaskInput => ({
  task_id,
  tool_id: "count",
  ...more,
});
const factsOf = (tasks: PlannerTaskInput[], more: TaskDataInput = {}) =>
  gatherFacts(readStructure({ planned_tasks: tasks, ...more }), catalogue);
const issues = (tasks: PlannerTaskInput[], more: TaskDataInput = {}) =>
  validatePlan({ planned_tasks: tasks, ...more }, resources);
const codes = (tasks: PlannerTaskInput[], more: TaskDataInput = {}) =>
  issues(tasks, more).map(({ code, task_id, argument_path }) => [code, task_id, argument_path]);

describe("what a name means in a plan", () => {
  const tasks = [
    count("a", { result_variable: "r" }),
    count("b", { result_variable: "r" }),
    count("c", { result_variable: "a" }),
    count("a"),
  ];
  test.for<[string, unknown]>([
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["r", 0],
    ["v", "variable"],
    ["input", "opaque"],
    ["broken", "opaque"],
    ["undefined", undefined],
    ["toString", undefined],
    ["none", undefined],
  ])("%s", ([name, meaning]) => {
    const broken = { task_id: "broken", status: 5 } as unknown as PlannerTaskInput;
    expect(factsOf([...tasks, broken], { variables: { v: 1, a: 2 } }).resolveName(name)).toBe(meaning);
  });

  test("a resource that a task does not name is not looked up, nor one without a kind", () => {
    const asked: unknown[][] = [];
    const spying = { ...catalogue, find: (...given: Parameters<typeof catalogue.find>) => void asked.push(given) };
    gatherFacts(
      readStructure({ planned_tasks: [list, { task_id: "b" }, { task_id: "c", execution_type: "tool" }] }),
      spying,
    );
    expect(asked).toEqual([["tool", "list"]]);
  });

  test("unknown names beside a duplicate are what it was meant to be, unless there are more of them than duplicates", () => {
    const twice = [count("a"), count("a")];
    const meant = (dependencies: string[]) => [...factsOf([...twice, count("b", { dependencies })]).intendedIds];
    expect(meant(["x"])).toEqual(["x"]);
    expect(meant(["x", "y"])).toEqual([]);
    expect(meant(["a"])).toEqual([]);
    expect([...factsOf([count("a"), count("b", { dependencies: ["x"] })]).intendedIds]).toEqual([]);
    expect(codes([...twice, count("b", { dependencies: ["x", "y"] })]).map(([code]) => code)).toEqual([
      "duplicate_task",
      "unknown_dependency",
      "unknown_dependency",
    ]);
  });
});

describe("where the references of a task are", () => {
  const placesOf = (task: PlannerTaskInput) => {
    const facts = factsOf([count("a"), task]);
    const { inArguments, inParameters, inFlow, malformed } = readReferences(1, facts, new EdgeList(0));
    return {
      found: [...inArguments, ...inParameters, ...inFlow].map(({ argument_path, inField, source }) => [
        argument_path,
        inField,
        source,
      ]),
      malformed: malformed.map(({ argument_path, inField }) => [argument_path, inField]),
    };
  };

  test.for<[string, PlannerTaskInput, unknown[][]]>([
    [
      "arguments",
      { arguments: { x: "${a}", y: ["${none}"] } },
      [
        ["x", false, 0],
        ["y[0]", false, undefined],
      ],
    ],
    ["parameters", { parameters: { x: ["${a}"] } }, [["parameters.x[0]", true, 0]]],
    ["the list", { for_each: { items: "${a}" } }, [["for_each.items", true, 0]]],
    ["a list of references", { for_each: { items: ["${a}"] as never } }, [["for_each.items[0]", true, 0]]],
    [
      "what is given for its elements",
      { for_each: { items: "${a}", given: { 0: "${a}" } } },
      [
        ["for_each.items", true, 0],
        ["for_each.given.0", true, 0],
      ],
    ],
    ["a condition", { when: { condition: "${a} > 1" } }, [["when.condition", true, 0]]],
    [
      "the conditions of branches",
      {
        choose: {
          branches: [
            { name: "x", condition: "${a} > 1" },
            { name: "y", condition: "${a} > 3" },
            { name: "z", condition: "${a} > 2" },
          ],
        },
      },
      [
        ["choose.branches[0].condition", true, 0],
        ["choose.branches[1].condition", true, 0],
        ["choose.branches[2].condition", true, 0],
      ],
    ],
    ["the branches among which the resource decides", { choose: { branches: [{ name: "x" }, { name: "y" }] } }, []],
    ["a wait", { wait: { until: "${a}" } }, [["wait.until", true, 0]]],
    [
      "a condition to try again",
      { retry_until: { condition: "${a}", on_deadline: { value: ["${a}"] } } as never },
      [
        ["retry_until.condition", true, 0],
        ["retry_until.on_deadline.value[0]", true, 0],
      ],
    ],
  ])("in %s", ([, task, places]) => {
    const facts = placesOf({ task_id: "t", ...task });
    expect(facts).toEqual({ found: places, malformed: [] });
  });

  test("texts that should be references, in each of these places", () => {
    const { found, malformed } = placesOf({
      task_id: "t",
      arguments: { x: "${" },
      parameters: { y: "${" },
      when: { condition: "${" },
    });
    expect([found, malformed]).toEqual([
      [],
      [
        ["x", false],
        ["parameters.y", true],
        ["when.condition", true],
      ],
    ]);
    expect(placesOf({ task_id: "t", parameters: { y: "${" } }).malformed).toEqual([["parameters.y", true]]);
    expect(placesOf({ task_id: "t", when: { condition: "${" } }).malformed).toEqual([["when.condition", true]]);
  });

  test("again, for whoever asks later: of the plan and within its elements", () => {
    const facts = factsOf([
      list,
      {
        task_id: "g",
        parameters: { p: "${list}" },
        arguments: {},
        for_each: {
          items: "${list.rows}",
          tasks: [count("i", { arguments: { n: "${item.id}" }, when: { condition: "${index} > 1" } })],
        },
      },
    ]);
    expect(facts.referencesOf(1).map(({ argument_path }) => argument_path)).toEqual(["parameters.p", "for_each.items"]);
    expect(
      innerFacts(1, facts)
        .referencesOf(0)
        .map(({ argument_path }) => argument_path),
    ).toEqual(["n", "when.condition"]);
  });
});

describe("the order of a plan", () => {
  const edgesOf = (tasks: PlannerTaskInput[]) => {
    const { graph, position, ordered } = readOrder(factsOf(tasks));
    const edges = tasks.flatMap((_, from) =>
      [...graph.out.slice(graph.outPtr[from], graph.outPtr[from + 1])].map((to) => [from, to]),
    );
    return { edges, position: [...position], ordered };
  };
  const each = (tasks: PlannerTaskInput[], more: object = {}): PlannerTaskInput => ({
    task_id: "g",
    for_each: { items: "${list.rows}", tasks, ...more },
  });

  test("comes from dependencies and references, and not from a task's own name", () => {
    expect(
      edgesOf([
        count("c", { dependencies: ["b", "c", "none"], arguments: { n: "${c.n}" } }),
        count("b", { arguments: { n: "${a.n}" } }),
        count("a"),
      ]),
    ).toEqual({
      edges: [
        [1, 0],
        [2, 1],
      ],
      position: [2, 1, 0],
      ordered: 3,
    });
  });

  test("tasks on a cycle and behind it have no place in it", () => {
    const { position, ordered } = edgesOf([
      count("a", { dependencies: ["b"] }),
      count("b", { dependencies: ["a"] }),
      count("c", { dependencies: ["b"] }),
      count("d"),
    ]);
    expect([position, ordered]).toEqual([[-1, -1, -1, 0], 1]);
  });

  test("a list waits for what the tasks of its elements refer to, and not for what is named alike within them", () => {
    expect(edgesOf([list, count("x"), each([count("i", { arguments: { n: "${x.n}" } })])]).edges).toEqual([
      [0, 2],
      [1, 2],
    ]);
    expect(edgesOf([list, count("x"), each([count("x"), count("i", { arguments: { n: "${x.n}" } })])]).edges).toEqual([
      [0, 2],
    ]);
    expect(edgesOf([list, count("item"), each([count("i", { arguments: { n: "${item.id}" } })])]).edges).toEqual([
      [0, 2],
    ]);
    expect(edgesOf([list, each([count("i", { arguments: { n: "${g}" } })])]).edges).toEqual([[0, 1]]);
    expect(
      codes([list, count("x", { dependencies: ["g"] }), each([count("i", { arguments: { n: "${x.n}" } })])])[0],
    ).toEqual(expect.arrayContaining(["cycle"]));
  });
});

describe("names within the elements of a list", () => {
  const inside = (tasks: PlannerTaskInput[], more: TaskDataInput = {}, forEach: object = {}) =>
    issues([list, count("x"), { task_id: "g", for_each: { items: "${list.rows}", tasks, ...forEach } }], more)
      .filter(({ code }) => code !== ("unused_task" as string))
      .map(({ code, message }) => `${code}: ${message}`);
  const use = (reference: string) => [count("i", { arguments: { n: reference } })];

  test.for<[string, string, string | undefined]>([
    ["the element", "${item.id}", undefined],
    ["a field of the element that has another type", "${item.tags}", "type_mismatch"],
    ["a field that no element has", "${item.idd}", "unknown_output"],
    ["the place of the element", "${index}", undefined],
    ["a field of the place", "${index.x}", "unknown_output"],
    ["another task", "${x.n}", undefined],
    ["an output of another task that has another type", "${list.rows}", "type_mismatch"],
    ["an output that another task does not have", "${x.m}", "unknown_output"],
    ["a variable of the plan, of whatever type", "${v}", undefined],
    ["the plan's input", "${input.x}", undefined],
    ["nothing", "${none}", "unknown_reference"],
  ])("%s", ([, reference, code]) => {
    const found = inside(use(reference), { variables: { v: "text" } });
    expect(found.map((each) => each.split(":")[0])).toEqual(code === undefined ? [] : [code]);
    for (const each of found) expect(each).toContain('In the elements of "g"');
  });

  test("a task of the element goes before one of the plan", () => {
    const own = [count("x", { tool_id: "list" }), count("i", { arguments: { n: "${x.total}" } })];
    expect(inside(own).map((each) => each.split(":")[0])).toEqual(["name_collision"]);
  });

  test("an element of an element's list, and of a list of which nothing is known", () => {
    const nested = (items: string, reference: string) =>
      inside([{ task_id: "h", for_each: { items, as: "tag", tasks: use(reference) } }]).map(
        (each) => each.split(":")[0],
      );
    expect(nested("${item.tags}", "${tag}")).toEqual(["type_mismatch"]);
    expect(nested("${item.tags}", "${item.id}")).toEqual([]);
    expect(nested("${input.tags}", "${tag.any}")).toEqual([]);
    expect(nested("${x.n}", "${tag.any}")).toEqual(["type_mismatch"]);
    const literal = { task_id: "g", for_each: { items: "no reference", tasks: use("${item.any}") } };
    expect(codes([literal])).toEqual([["type_mismatch", "g", "for_each.items"]]);
  });

  test("the list is read before there is an element, its conditions with one", () => {
    const task = (more: object, forEach: object) =>
      codes([list, count("f", { ...more, for_each: { items: "${list.rows}", ...forEach } })]);
    expect(task({ when: { condition: "${item.id} > 1" } }, {})).toEqual([]);
    expect(task({}, { given: { 0: "${item.id}" } })).toEqual([["unknown_reference", "f", "for_each.given.0"]]);
  });
});
