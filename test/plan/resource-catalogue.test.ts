import { type Resource, resourceCatalogue } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { flatToolId } from "../../packages/plan/src/validation/resource-catalogue.ts";
import { resourceTyping } from "../../packages/plan/src/validation/resource-typing.ts";

const tool = (id: string, more: Partial<Resource> = {}): Resource => ({ kind: "tool", id, description: "", ...more });
const agent = (id: string, more: Partial<Resource> = {}): Resource => ({ ...tool(id, more), kind: "agent" });

describe("a catalogue of resources", () => {
  test.for<[string, Resource[], string, string | undefined]>([
    ["an id", [tool("post/mail")], "post/mail", "post/mail"],
    ["what follows the last slash", [tool("a/post/mail")], "mail", "a/post/mail"],
    ["not what follows an earlier one", [tool("a/post/mail")], "post/mail", undefined],
    ["two underscores for each slash", [tool("a/post/mail")], "a__post__mail", "a/post/mail"],
    ["a name", [tool("x1", { name: "mail" })], "mail", "x1"],
    ["a name that is the bare id too", [tool("post/mail", { name: "mail" })], "mail", "post/mail"],
    ["a bare name of two", [tool("a/mail"), tool("b/mail")], "mail", undefined],
    ["a bare name of three", [tool("a/mail"), tool("b/mail"), tool("c/mail")], "mail", undefined],
    ["an id that is the bare name of another too", [tool("a/mail"), tool("mail")], "mail", "mail"],
    ["an unknown name", [tool("a/mail")], "male", undefined],
    ["a name of an agent", [agent("x1", { name: "mail" })], "mail", undefined],
  ])("finds a tool by %s", ([, resources, id, found]) => {
    const catalogue = resourceCatalogue(resources);
    expect(catalogue.find("tool", id)?.id).toBe(found);
    expect(catalogue.kindsOf(id)).toEqual(found === undefined ? [] : ["tool"]);
  });

  test("finds agents by their ids alone", () => {
    const catalogue = resourceCatalogue([agent("team/x", { name: "y" })]);
    expect(["team/x", "y", "x", "team__x"].map((id) => catalogue.find("agent", id)?.id)).toEqual([
      "team/x",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("keeps kinds apart, and of equal ids the first", () => {
    const [first, second, other] = [tool("a", { description: "1" }), tool("a", { description: "2" }), agent("a")];
    const catalogue = resourceCatalogue([first, second, other]);
    expect(catalogue.find("tool", "a")?.description).toBe("1");
    expect(catalogue.ofKind("tool").map(({ description }) => description)).toEqual(["1"]);
    expect(catalogue.ofKind("agent")).toHaveLength(1);
    expect(catalogue.ofKind("llm")).toEqual([]);
    expect(catalogue.all).toHaveLength(3);
    expect([...catalogue.kindsOf("a")].sort()).toEqual(["agent", "tool"]);
  });

  test("takes what is of no kind for no resource that a plan can use", () => {
    const odd = { ...tool("a"), kind: "robot" } as unknown as Resource;
    const catalogue = resourceCatalogue([odd]);
    expect([
      catalogue.kindsOf("a"),
      catalogue.find("robot" as "tool", "a"),
      catalogue.ofKind("robot" as "tool"),
    ]).toEqual([[], undefined, []]);
  });

  test("every slash of an id becomes two underscores", () => {
    expect(flatToolId("a/b/c")).toBe("a__b__c");
  });
});

describe("the schemas of a resource", () => {
  const [good, bad] = [{ type: "string" }, { type: "nothing" }];
  test("are used as they are given", () => {
    const resource = tool("a", { input_schema: good, output_schema: true });
    expect(resourceTyping(resource)).toEqual({
      resource,
      input: { schema: good, root: good },
      output: { schema: true, root: true },
    });
    expect(resourceTyping(resource)).toBe(resourceTyping(resource));
    const bare = tool("b");
    expect(resourceTyping(bare)).toEqual({ resource: bare });
  });

  test.for<[string, Partial<Resource>]>([
    ["input_schema", { input_schema: bad, output_schema: good }],
    ["output_schema", { input_schema: good, output_schema: bad }],
    ["input_schema", { input_schema: bad, output_schema: bad }],
  ])("are not used where the %s cannot be read", ([field, schemas]) => {
    const resource = tool("a", schemas);
    expect(resourceTyping(resource)).toEqual({ resource, broken: `${field}: unknown type "nothing" at "/"` });
  });
});
