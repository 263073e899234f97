import { definePlan, PlanError } from "planloom";
import { describe, expect, test } from "vitest";
import { authors, books, digest, tools } from "../support/library-tools.ts";

describe("what the types do not show is an error that says where", () => {
  const refused = (define: () => unknown) => {
    try {
      define();
    } catch (error) {
      if (error instanceof PlanError) return `${error.code} ${error.message}`;
      throw error;
    }
    return "nothing";
  };
  // What a program without types can write.
  // biome-ignore lint/suspicious/noExplicitAny: these are programs that do not compile.
  type Any = any;

  test.for<{ name: string; define: (t: Any) => unknown; says: RegExp }>([
    {
      name: "a tool of another plan",
      define: (t) => t.call({ resource: { kind: "tool", id: "mail" } }),
      says: /got "mail"\. It has authors, library\/books, digest/,
    },
    { name: "a misspelt id", define: (t) => t.call("autors", {}), says: /got "autors"\. Perhaps "authors" is meant/ },
    { name: "an argument that is missing", define: (t) => t.call(authors, {}), says: /country/ },
    {
      name: "an option that there is not",
      define: (t) => t.call(authors, { country: "IS" }, { retries: 2 }),
      says: /PLAN_OPTION .*`retries`/,
    },
    {
      name: "a retry of no attempts",
      define: (t) => t.call(authors, { country: "IS" }, { retry: { max_attempts: 0 } }),
      says: /retry\.max_attempts/,
    },
    {
      name: "a date",
      define: (t) => t.call(authors, { country: new Date(0) }),
      says: /country in the arguments of "authors" to be JSON/,
    },
    {
      name: "an object that a plan reads as a reference",
      define: (t) => t.call(authors, { country: { $ref: "x" } }),
      says: /only key is \$ref/,
    },
    {
      name: "two tasks of one id",
      define: (t) =>
        [t.call(authors, { country: "A" }, { id: "x" }), t.call(authors, { country: "B" }, { id: "x" })].at(9),
      says: /PLAN_DUPLICATE_TASK .*"x"/,
    },
    {
      name: "an id that is a variable",
      define: (t) => {
        t.call(authors, { country: "A" }, { id: "town" });
      },
      says: /PLAN_DUPLICATE_TASK .*"town"/,
    },
    {
      name: "printing a reference",
      define: (t) => `${t.call(authors, { country: "A" })}`,
      says: /has no value while a plan is being defined/,
    },
    {
      name: "a method of a list that is not there yet",
      define: (t) => t.call(authors, { country: "A" }).map((one: object) => t.call(authors, one)),
      says: /`map` cannot be called while a plan is being defined.*`t\.each\(list\.items\(\)/,
    },
    {
      name: "reading on from an optional reference",
      define: (t) => t.optional(t.call(authors, { country: "A" })).name,
      says: /t\.optional/,
    },
    {
      name: "a part as the result",
      define: (t) => t.call(authors, { country: "A" }).at(0),
      says: /A part of an output cannot be returned/,
    },
    {
      name: "computed arguments as a value",
      define: (t) => t.call(authors, { country: t.computed`{ "country": ${"IS"} }` }),
      says: /`t\.computed` makes, which is all arguments of a call/,
    },
    {
      name: "a secret in computed arguments",
      define: (t) => t.call(authors, t.computed`{ "country": ${t.secret("TOKEN")} }`),
      says: /computed from references and values, got a secret/,
    },
    {
      name: "a reference within a value of computed arguments",
      define: (t) => t.call(authors, t.computed`{ "country": ${[t.variables.town]}[0] }`),
      says: /got a reference within a value; write it into the expression/,
    },
    {
      name: "a list that makes no task",
      define: (t) => t.each(["a"], () => t.call(authors, { country: "A" }).at(0)),
      says: /return a task that it has made/,
    },
    {
      name: "a task of an element, outside",
      define: (t) => {
        let inner: Any;
        t.each(["a"], (one: Any) => (inner = t.call(authors, { country: one })));
        t.call(books, { author_id: inner.at(0).id });
      },
      says: /referred to outside of the function/,
    },
    {
      name: "an element, outside",
      define: (t) => {
        let item: Any;
        t.each(["a"], (one: Any) => {
          item = one;
          return t.call(authors, { country: one });
        });
        t.call(authors, { country: item });
      },
      says: /The element of a list is referred to outside/,
    },
    {
      name: "the place in an outer list, which the inner list hides",
      define: (t) =>
        t.each(["a"], (_: Any, at: Any) => t.each(["b"], () => t.call(digest, { texts: [t.text`${at}`] }))),
      says: /refers to the place of an outer list/,
    },
    {
      name: "`after` of something else",
      define: (t) => t.call(authors, { country: "A" }, { after: ["authors"] }),
      says: /`after` of "authors" to list tasks/,
    },
    { name: "an async function", define: async (t) => t.call(authors, { country: "A" }), says: /must not be async/ },
    {
      name: "a result of another plan",
      define: () => {
        let other: unknown;
        definePlan({ tools }, (t) => {
          other = t.call(authors, { country: "A" });
        });
        return other;
      },
      says: /"result" is a task of another plan/,
    },
    {
      name: "a reference of another plan",
      define: (t) => {
        let other: Any;
        definePlan({ tools }, (of) => {
          other = of.call(authors, { country: "A" });
        });
        t.call(digest, { texts: other.items().name });
      },
      says: /A reference is of another plan/,
    },
    {
      name: "a task that is made later",
      define: (t) => {
        definePlan({ tools, variables: { town: "Vik" } }, (of) => {
          t = of;
          of.call(authors, { country: "A" });
        });
        t.call(authors, { country: "A" });
      },
      says: /the plan has been defined already/,
    },
    {
      name: "a text as the condition",
      define: (t) => t.call(authors, { country: "A" }, { when: "true" }),
      says: /made by t\.expression/,
    },
  ])("$name", ({ define, says }) => {
    expect(refused(() => definePlan({ tools, variables: { town: "Vik" } }, define as never))).toMatch(says);
  });
});
