import type { PlannerTask } from "../../records/planner-task.ts";
import { refusal } from "./refusal.ts";
import { type BranchTasks, errorOf } from "./write-branches.ts";

export type State = Record<string, unknown>;

/** States that are done one after the other with what comes before and after them: one state, or a decision with its branches. */
export interface Block {
  /** The state that it begins with. */
  readonly name: string;
  /** Asked for once every exit leads somewhere. */
  states(): readonly (readonly [name: string, state: State])[];
  /** Each makes the states lead to what comes next; without a name, they are the last. */
  readonly exits: readonly Exit[];
}

type Exit = (next: string | undefined) => void;

export function blockOf(name: string, state: State): Block {
  const own: State = { ...state };
  const exit: Exit = (next) => Object.assign(own, next === undefined ? { End: true } : { Next: next });
  return { name, states: () => [[name, own]], exits: [exit] };
}

interface Writers {
  /** The code of a condition. */
  code(condition: string, field: string): string;
  chain(branch: BranchTasks): Block[];
  /** A name for a state that no other has. */
  free(wanted: string): string;
}

/**
 * A decision by conditions as a Choice state, followed by the states of its branches; a Fail state where its only condition raises an error.
 * @param branches tasks by the names of the branches that lead to them
 * @throws PlanError DIALECT for a decision of a resource
 */
export function writeDecision(
  task: PlannerTask,
  name: string,
  branches: ReadonlyMap<string, BranchTasks>,
  { code, chain, free }: Writers,
): Block {
  const { task_id, description, choose } = task;
  const { branches: rules, else: otherwise } = choose!;
  const comment = description === "" ? {} : { Comment: description };
  const error = errorOf(task);
  if (error !== undefined)
    return { name, states: () => [[name, { Type: "Fail", ...comment, Cause: error }]], exits: [] };
  const written = new Map<BranchTasks, Block[]>();
  const ends: (readonly [string, State])[] = [];
  const exits: Exit[] = [];
  /** Lets a rule lead to the first state of its branch, or past it where there is none. */
  const lead = (rule: State, field: string, branch: string): State => {
    const own = branches.get(branch);
    if (own === undefined) {
      exits.push((next) => {
        const end = next ?? free(branch);
        if (next === undefined) ends.push([end, { Type: "Succeed" }]);
        rule[field] = end;
      });
      return rule;
    }
    let blocks = written.get(own);
    if (blocks === undefined) {
      blocks = chain(own);
      written.set(own, blocks);
      for (const [place, block] of blocks.slice(0, -1).entries())
        for (const exit of block.exits) exit(blocks[place + 1]!.name);
      exits.push(...blocks.at(-1)!.exits);
    }
    return Object.assign(rule, { [field]: blocks[0]!.name });
  };
  const Choices = rules.map(({ condition, description: said }, place): State => {
    const field = `choose.branches[${place}].condition`;
    if (condition === undefined)
      throw refusal(task_id, "choose", "cannot be written as a state machine where a resource decides.");
    return { ...(said !== undefined && { Comment: said }), Condition: `{% ${code(condition, field)} %}` };
  });
  const state: State = { Type: "Choice", ...comment, Choices };
  for (const [place, { name: branch }] of rules.entries()) lead(Choices[place]!, "Next", branch);
  if (otherwise !== undefined) lead(state, "Default", otherwise);
  const inBranches = () => [...written.values()].flat().flatMap((block) => block.states());
  return { name, states: () => [[name, state], ...inBranches(), ...ends], exits };
}
