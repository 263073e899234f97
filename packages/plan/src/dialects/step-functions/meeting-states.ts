import { isRecord } from "../../json.ts";
import { refusal } from "./refusal.ts";

type States = Readonly<Record<string, unknown>>;

/**
 * For each Choice state the state in which all of its branches meet again; absent where they run to the end. Branches that end in Fail do not count. It is the nearest
 * state on every way from the Choice to the end (its immediate post-dominator). O(states + transitions · depth)
 * @throws PlanError DIALECT for a way back to an earlier state
 */
export function meetingStates(states: States, first: string): ReadonlyMap<string, string> {
  const order = inPostOrder(states, first);
  /** The nearest state on every way to the end: null is the end itself; absent for states from which every way fails. */
  const next = new Map<string, string | null>();
  const depth = new Map<string | null, number>([[null, 0]]);
  for (const name of order) {
    const state = states[name];
    if (isRecord(state) && state.Type === "Fail") continue;
    const after = successors(state).filter((each) => next.has(each) || !Object.hasOwn(states, each));
    const ends = successors(state).length === 0;
    if (after.length === 0 && !ends) continue;
    let meet: string | null = ends ? null : after[0]!;
    for (let other of after.slice(1) as (string | null)[]) {
      while (meet !== other) {
        if ((depth.get(meet) ?? 0) >= (depth.get(other) ?? 0)) meet = meet === null ? null : (next.get(meet) ?? null);
        else other = other === null ? null : (next.get(other) ?? null);
      }
    }
    next.set(name, meet);
    depth.set(name, (depth.get(meet) ?? 0) + 1);
  }
  const found = [...next].filter(
    ([name, meet]) => meet !== null && isRecord(states[name]) && states[name].Type === "Choice",
  );
  return new Map(found as [string, string][]);
}

/** Where a state may lead to. */
function successors(state: unknown): string[] {
  if (!isRecord(state)) return [];
  if (state.Type !== "Choice") return typeof state.Next === "string" ? [state.Next] : [];
  const rules = Array.isArray(state.Choices) ? (state.Choices as unknown[]) : [];
  const named = [...rules.map((rule) => (isRecord(rule) ? rule.Next : undefined)), state.Default];
  return named.filter((name) => typeof name === "string");
}

/** Every state after all that it leads to. */
function inPostOrder(states: States, first: string): string[] {
  const order: string[] = [];
  const open = new Set<string>();
  const done = new Set<string>();
  const stack: [name: string, left: string[]][] = [];
  const enter = (name: string) => {
    open.add(name);
    stack.push([name, successors(states[name]).filter((each) => Object.hasOwn(states, each))]);
  };
  if (Object.hasOwn(states, first)) enter(first);
  while (stack.length > 0) {
    const [name, left] = stack.at(-1)!;
    const next = left.pop();
    if (next === undefined) {
      stack.pop();
      open.delete(name);
      done.add(name);
      order.push(name);
    } else if (open.has(next))
      throw refusal(
        name,
        "Next",
        "leads back to an earlier state. A plan has no loops: repeat a call with `retry_until`, or work through a list.",
      );
    else if (!done.has(next)) enter(next);
  }
  return order;
}
