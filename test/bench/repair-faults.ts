import type { ChatBehaviour } from "@planloom/controller/testing";
import { chatBehaviours } from "@planloom/controller/testing";
import type { PlannerTaskInput } from "@planloom/plan";

export type Task = PlannerTaskInput & { readonly task_id: string; readonly arguments: Record<string, unknown> };

/** What is wrong with an answer: with its text, with the connection, or with the plan. */
export interface Fault {
  readonly name: string;
  readonly about: "text" | "transport" | "plan";
  /** The answer that goes wrong; `at` picks the task. */
  readonly answer: (tasks: readonly Task[], at: number) => ChatBehaviour;
  /** The plan that is meant, where the plan is what is wrong. */
  readonly tasks?: (tasks: readonly Task[], at: number) => readonly Task[];
}

const { answers } = chatBehaviours;
const text = (name: string, write: (json: string, tasks: readonly Task[]) => string): Fault => ({
  name,
  about: "text",
  answer: (tasks) => ({ text: write(JSON.stringify({ tasks }), tasks) }),
});
const plan = (name: string, change: (tasks: readonly Task[], at: number) => readonly Task[]): Fault => ({
  name,
  about: "plan",
  tasks: change,
  answer: (tasks, at) => answers({ tasks: change(tasks, at) }),
});
const one = (change: (task: Task) => Task) => (tasks: readonly Task[], at: number) =>
  tasks.map((task, index) => (index === at % tasks.length ? change(task) : task));

export const faults: readonly Fault[] = [
  { name: "none", about: "text", answer: (tasks) => answers({ tasks }) },
  { name: "in a fence", about: "text", answer: (tasks) => chatBehaviours.fenced({ tasks }) },
  { name: "in prose", about: "text", answer: (tasks) => chatBehaviours.inProse({ tasks }) },
  { name: "thinks first", about: "text", answer: (tasks) => chatBehaviours.thinksFirst({ tasks }) },
  text("Python literals, single quotes", (json) =>
    json.replaceAll("'", "’").replaceAll('"', "'").replaceAll("true", "True"),
  ),
  text("trailing commas, bare keys", (json) => json.replaceAll(/"(\w+)":/g, "$1:").replaceAll(/(["\d\]])\}/g, "$1,}")),
  text("a closing bracket too few", (json) => json.slice(0, -1)),
  text("a JSON string", (json) => JSON.stringify(json)),
  { name: "cut off", about: "text", answer: (tasks) => chatBehaviours.truncated({ tasks }) },
  text("prose alone", () => "I would list the records first and then look at each of them."),
  { name: "an empty answer", about: "text", answer: () => ({ text: "" }) },
  { name: "fails with 500", about: "transport", answer: () => chatBehaviours.fails() },
  { name: "drops the connection", about: "transport", answer: (tasks) => chatBehaviours.drops({ tasks }) },
  plan(
    "a tool that does not exist",
    one((task) => ({ ...task, tool_id: `${task.tool_id}_v2` })),
  ),
  plan(
    "a value that the enum has not",
    one((task) => ({ ...task, arguments: { ...task.arguments, state: "all of them" } })),
  ),
  plan(
    "a required argument left out",
    one(({ arguments: { state: _, ...rest }, ...task }) => ({ ...task, arguments: rest })),
  ),
  plan(
    "an argument of the wrong type",
    one((task) => ({ ...task, arguments: { ...task.arguments, limit: "many" } })),
  ),
  plan(
    "an argument that is not known",
    one((task) => ({ ...task, arguments: { ...task.arguments, colour: "red" } })),
  ),
  plan(
    "a reference to no task",
    one((task) => ({ ...task, arguments: { ...task.arguments, source: "${nothing.id}" } })),
  ),
  plan("a path that is not there", (tasks, at) => {
    const target = 1 + (at % (tasks.length - 1));
    return tasks.map((task, index) =>
      index === target
        ? { ...task, arguments: { ...task.arguments, source: `\${${tasks[target - 1]?.task_id}.identity}` } }
        : task,
    );
  }),
  plan("a cycle", (tasks) =>
    tasks.map((task, index) => (index === 0 ? { ...task, dependencies: [tasks.at(-1)?.task_id ?? ""] } : task)),
  ),
  plan(
    "a dependency on no task",
    one((task) => ({ ...task, dependencies: [...(task.dependencies ?? []), "before"] })),
  ),
  plan("an id twice", (tasks) =>
    tasks.map((task, index) => (index === 1 ? { ...task, task_id: tasks[0]?.task_id ?? "" } : task)),
  ),
];
