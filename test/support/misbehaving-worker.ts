// The module that worker processes of `callbacks-doors.test.ts` load. What a function does wrong stands in the name of the tool: `estimate/throws`.
import type { Executor } from "@planloom/plan";
import { defineExecutor } from "@planloom/runtime";
import { type Misbehaviour, misbehaviours } from "./misbehaviours.ts";

const kinds = Object.keys(misbehaviours) as Misbehaviour[];
/** Functions of the worker's that are called for a task. */
export const workerFunctions = ["execute", "estimate", "unavailable", "bind"] as const;
type WorkerFunction = (typeof workerFunctions)[number];

const good = (name: WorkerFunction, uid: string): unknown =>
  ({ execute: 1, estimate: undefined, unavailable: undefined, bind: { uid, input_data: {} } })[name];

/** What the function gives for a tool that has its fault; what is good for any other. */
function give(name: WorkerFunction, uid: string): never {
  const [faulty, kind] = uid.split("/") as [string, Misbehaviour];
  return (faulty === name ? misbehaviours[kind](good(name, uid))() : good(name, uid)) as never;
}

const tools = ["fine", ...workerFunctions.flatMap((name) => kinds.map((kind) => `${name}/${kind}`))];
const executor: Executor = {
  kind: "tool",
  resources: () => tools.map((id) => ({ kind: "tool", id, description: id })),
  estimate: ({ uid }) => give("estimate", uid),
  unavailable: (uid) => give("unavailable", uid),
  execute: async ({ uid }) => (uid === "fine" ? process.pid : give("execute", uid)),
};
export const executors = [defineExecutor(executor)];
export const bind = ({ task }: { task: { tool_id: string | null } }) => give("bind", task.tool_id ?? "");
