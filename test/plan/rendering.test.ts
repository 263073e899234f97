import {
  displayWidth,
  type PlannerTask,
  planView,
  printable,
  renderAscii,
  renderDot,
  renderMermaid,
  type SubGraph,
  fit as shorten,
  type TaskData,
} from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../support/any-text.ts";
import { cases } from "../support/cases.ts";
import { plan as anyPlan, planOf, task } from "../support/plans.ts";

const freight = planOf(
  [
    task({
      task_id: "facilities",
      execution_type: "tool",
      tool_id: "freight/facilities_list",
      arguments: { location: "Berlin" },
      status: "completed",
    }),
    task({
      task_id: "shipments",
      execution_type: "tool",
      tool_id: "freight/shipments_list",
      arguments: { facility_id: "${facilities.*.id}", limit: 5 },
    }),
    task({
      task_id: "inspections",
      execution_type: "tool",
      tool_id: "freight/inspections_list",
      arguments: { facility_id: "${facilities.*.id}" },
    }),
    task({
      task_id: "report",
      execution_type: "llm",
      arguments: { about: "${shipments} ${inspections}" },
      description: "Summarise",
    }),
  ],
  { title: "Berlin" },
);
const group = (subgraph_id: string, tasks: PlannerTask[], dependencies: string[] = []): SubGraph => ({
  subgraph_id,
  tasks,
  dependencies,
});

describe("renderAscii", () => {
  test("draws the order, what can run at once, what needs what, and who does it", () => {
    expect(renderAscii(freight)).toBe(`\
Berlin · 4 tasks · 3 levels · up to 2 at once
 1 ●    facilities   freight/facilities_list   location="Berlin"
 2 ├─○  shipments    freight/shipments_list    facility_id=\${facilities.*.id} limit=5
   ○ │  inspections  freight/inspections_list  facility_id=\${facilities.*.id}
 3 ○─╯  report       llm                       about="\${shipments} \${inspections}" · Summarise
`);
  });

  test("plain ASCII, narrow", () => {
    expect(renderAscii(freight, { unicode: false, width: 60 })).toBe(`\
Berlin - 4 tasks - 3 levels - up to 2 at once
 1 *    facilities   freight/facilitie...  location="Berlin"
 2 +-o  shipments    freight/shipments...  facility_id=\${...
   o |  inspections  freight/inspectio...  facility_id=\${...
 3 o-'  report       llm                   about="\${shipm...
`);
  });

  test("groups by subgraph, lines running through", () => {
    const [facilities, shipments, inspections, report] = freight.planned_tasks as [
      PlannerTask,
      PlannerTask,
      PlannerTask,
      PlannerTask,
    ];
    const subgraphs = [group("s1", [shipments, report], ["s0"]), group("s0", [facilities, inspections])];
    expect(renderAscii(freight, { subgraphs, width: 40 })).toBe(`\
Berlin · 4 tasks · 3 levels · up to 2 a…
        ── s0: 2 tasks
 1 ●    facilities   freight/f…  locati…
 2 ├─○  inspections  freight/i…  facili…
   │ │  ── s1: 2 tasks, after s0
 2 ○ │  shipments    freight/s…  facili…
 3 ○─╯  report       llm         about=…
`);
  });

  test("one task", () => {
    expect(renderAscii([task({ task_id: "a" })])).toBe("1 task · 1 level\n 1 ○  a\n");
  });

  test("tasks that need nothing do not look like a chain", () => {
    const rows = renderAscii([task({ task_id: "a" }), task({ task_id: "b" }), task({ task_id: "c" })]).split("\n");
    expect(rows.slice(1, 4)).toEqual([" 1 ○    a", "     ○  b", "   ○    c"]);
  });

  test("many lines at once become words", () => {
    const leaves = Array.from({ length: 20 }, (_, i) => task({ task_id: `leaf${i}` }));
    const sum = task({ task_id: "sum", dependencies: leaves.map(({ task_id }) => task_id) });
    expect(renderAscii([...leaves, sum])).toContain("sum     after leaf0, leaf1,");
  });

  test("a large plan is summed up by level, and says so", () => {
    const tasks = Array.from({ length: 500 }, (_, i) =>
      task({ task_id: `t${i}`, dependencies: i < 100 ? [] : [`t${i - 100}`], execution_type: "llm" }),
    );
    expect(renderAscii(tasks, { maxTasks: 4 })).toBe(`\
500 tasks · 5 levels · up to 100 at once
 1  100 tasks · llm ×100 · t0, t1, t2, … 97 more
 2  100 tasks · llm ×100 · t100, t101, t102, … 97 more
    … 1 more level
 4  100 tasks · llm ×100 · t300, t301, t302, … 97 more
 5  100 tasks · llm ×100 · t400, t401, t402, … 97 more
Abbreviated: 500 tasks are too many to draw one by one.
`);
  });

  test("colours are ANSI, or the caller's", () => {
    expect(renderAscii(freight, { colour: true })).toContain("\u001b[32m●\u001b[0m");
    expect(renderAscii(freight, { colour: (style, text) => (style === "id" ? `<${text.trim()}>` : text) })).toContain(
      "<report>",
    );
    expect(strip(renderAscii(freight, { colour: true }))).toBe(renderAscii(freight));
  });

  test("the lines say exactly the plan's edges", () => {
    fc.assert(
      fc.property(anyPlan({ maxTasks: 14 }), (plan) => {
        const picture = renderAscii(plan, { colour: (style, text) => (style === "id" ? `\u0001${text}\u0001` : text) });
        if (/ {2}after /.test(picture)) return;
        expect(edgesDrawn(picture)).toEqual(edgesOf(plan));
      }),
      { numRuns: cases(300) },
    );
  });

  test("whatever the texts, only printable characters come out, no line too long, every task has a row", () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\u001b", "\u009b", "\n", "\r", "\u202e", "\u0000", "漢", "é", "🚀", "\ud800"),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(
        fc.array(fc.record({ description: nasty, tool_id: nasty, key: nasty, value: nasty }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.integer({ min: 20, max: 120 }),
        fc.boolean(),
        (fields, width, unicode) => {
          const tasks = fields.map(({ description, tool_id, key, value }, i) => ({
            ...task({ task_id: `t${i}`, execution_type: "tool" }),
            description,
            tool_id,
            arguments: { [key]: value.replaceAll("$", "") },
          }));
          const picture = renderAscii(tasks, { width, unicode });
          expect(picture).toMatch(unicode ? /^(?:[^\p{Cc}\p{Cs}\u202a-\u202e]|\n)*$/u : /^[ -~\n]*$/);
          for (const line of picture.trimEnd().split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(picture.trimEnd().split("\n")).toHaveLength(fields.length + 1);
        },
      ),
      { numRuns: cases(200) },
    );
  });

  test("a plan with a cycle has no picture", () => {
    expect(() => renderAscii([task({ task_id: "a", dependencies: ["a"] })])).toThrow(
      expect.objectContaining({ code: "PLAN_CYCLE" }),
    );
  });
});

describe("renderMermaid", () => {
  test("has a node a task, an edge a dependency, a box a subgraph", () => {
    const subgraphs = [group("first one", freight.planned_tasks.slice(0, 3))];
    expect(renderMermaid(freight, { subgraphs, direction: "LR" })).toBe(`\
flowchart LR
  subgraph g0["first one"]
    t0["facilities<br/>freight/facilities_list"]
    t1["shipments<br/>freight/shipments_list"]
    t2["inspections<br/>freight/inspections_list"]
  end
  t3["report<br/>Summarise<br/>llm"]
  t0 --> t1
  t0 --> t2
  t1 --> t3
  t2 --> t3
`);
  });

  test("no text of a plan leaves its label", () => {
    fc.assert(
      fc.property(untrusted, ({ plan, subgraphs }) => {
        const lines = renderMermaid(plan, { subgraphs }).trimEnd().split("\n").slice(1);
        const shapes = [
          /^ {2,4}t\d+\["[^"\\[\](){}|<>&`]*(?:<br\/>[^"\\[\](){}|<>&`]*)*"\]$/,
          /^ {2}t\d+ --> t\d+$/,
          /^ {2}subgraph g\d+\["[^"[\]<>]*"\]$/,
          /^ {2}end$/,
        ];
        for (const line of lines)
          expect(
            shapes.some((shape) => shape.test(line)),
            line,
          ).toBe(true);
      }),
    );
  });
});

describe("renderDot", () => {
  test("has a node a task, an edge a dependency, a cluster a subgraph", () => {
    const plan = planOf([
      task({ task_id: 'a"b\\', description: "one\ntwo" }),
      task({ task_id: "c", dependencies: ['a"b\\'] }),
    ]);
    expect(renderDot(plan, { subgraphs: [group("g", plan.planned_tasks.slice(1))] })).toBe(`\
digraph plan {
  rankdir=TB;
  node [shape=box, style="rounded"];
  subgraph cluster_0 {
    label="g";
    t1 [label="c"];
  }
  t0 [label="a\\"b\\\\\\none two"];
  t0 -> t1;
}
`);
  });

  test("no text of a plan leaves its label", () => {
    fc.assert(
      fc.property(untrusted, ({ plan, subgraphs }) => {
        const lines = renderDot(plan, { subgraphs }).trimEnd().split("\n").slice(3, -1);
        const label = /(?:[^"\\]|\\["\\n])*/.source;
        const shapes = [
          new RegExp(`^ +t\\d+ \\[label="${label}"\\];$`),
          /^ {2}t\d+ -> t\d+;$/,
          /^ {2}subgraph cluster_\d+ \{$/,
          new RegExp(`^ {4}label="${label}";$`),
          /^ {2}\}$/,
        ];
        for (const line of lines)
          expect(
            shapes.some((shape) => shape.test(line)),
            line,
          ).toBe(true);
      }),
    );
  });
});

describe("printable", () => {
  test.for<[string, string, string]>([
    ["\u001b[31mred\u001b[0m", "�[31mred�[0m", "?[31mred?[0m"],
    ["a\r\nb\tc", "a b c", "a b c"],
    ["Zürich 漢", "Zürich 漢", "Zurich ?"],
    ["\u202eevil", "�evil", "?evil"],
  ])("%j", ([text, unicode, ascii]) => {
    expect(printable(text)).toBe(unicode);
    expect(printable(text, { unicode: false })).toBe(ascii);
  });

  test("wide characters count twice, marks not at all", () => {
    expect([displayWidth("abc"), displayWidth("漢字"), displayWidth("e\u0301")]).toEqual([3, 4, 1]);
    expect(shorten("漢字漢字", 5, "…")).toBe("漢字…");
    expect(shorten("abcdef", 4, "...")).toBe("a...");
  });
});

const untrusted = anyPlan({ maxTasks: 6 }).chain((plan) =>
  fc
    .record({
      text: anyText(),
      hostile: fc.constantFrom('"]; end', "`", "%%{init}%%", "\\", "<script>", '" -> "x', "]\n  end"),
    })
    .map(({ text, hostile }) => {
      const tasks = plan.planned_tasks.map((each) => ({
        ...each,
        description: text + hostile,
        title: hostile,
        tool_id: text,
        execution_type: "tool" as const,
      }));
      const subgraphs = [group(hostile + text, tasks.slice(0, 2))];
      return { plan: { ...plan, planned_tasks: tasks } satisfies TaskData, subgraphs };
    }),
);

function edgesOf(plan: TaskData): string[] {
  const view = planView(plan);
  const edges: string[] = [];
  for (let v = 0; v < view.n; v++) {
    for (let e = view.inPtr[v]!; e < view.inPtr[v + 1]!; e++) edges.push(`${view.ids[view.in[e]!]}>${view.ids[v]}`);
  }
  return edges.sort();
}

/** Reads a picture back as a person does: follows the lines, character by character. */
function edgesDrawn(picture: string): string[] {
  const edges: string[] = [];
  let above: (string | undefined)[] = [];
  for (const line of picture.trimEnd().split("\n").slice(1)) {
    const id = line.split("\u0001")[1]!.trim();
    const drawing = [...line.split("\u0001")[0]!.slice(3)];
    const lanes = drawing.filter((_, column) => column % 2 === 0);
    const node = lanes.indexOf("○");
    const below: (string | undefined)[] = [];
    lanes.forEach((character, lane) => {
      if ("│├┼┤".includes(character)) below[lane] = above[lane];
      if ("├╰┼┴┤╯".includes(character)) edges.push(`${above[lane]}>${id}`);
      if (lane === node) {
        if (above[lane] !== undefined) edges.push(`${above[lane]}>${id}`);
        below[lane] = id;
      }
    });
    above = below;
  }
  return edges.sort();
}

function strip(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are what is stripped
  return text.replaceAll(/\u001b\[\d+m/g, "");
}
