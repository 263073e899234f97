import { formatReference } from "../../references/format-reference.ts";
import type { Reference } from "../../references/reference.ts";
import { conditionOf } from "./choice-rules.ts";
import { checkFields, idOf, type Machine, ofPaths, type Read, type ReadChain, withEntry } from "./reading.ts";
import { refusal } from "./refusal.ts";
import { asFields, type Beginning, type Fields, pathOf, sightOf } from "./state-data.ts";
import { type ChoiceOption, oneOf, type Value } from "./value.ts";

/** Reads states from one on, until another one or the end. */
type ReadOn = (
  machine: Machine,
  first: string,
  beginning: Beginning,
  from: readonly [string, string],
  stop?: string,
) => ReadChain;

const maxName = 64;

/** A decision, and its branches until they meet. */
export function readChoice(machine: Machine, name: string, state: Fields, given: Beginning, readOn: ReadOn): Read {
  const { Choices, Default } = state;
  checkFields(
    name,
    state,
    ["Type", "Comment", "QueryLanguage", "Choices", "Default"],
    given.jsonata ? [] : ofPaths,
    given,
  );
  if (!Array.isArray(Choices) || Choices.length === 0)
    throw refusal(name, "Choices", "is expected to be a list of rules.");
  const input = given.jsonata ? given.input : pathOf(state.InputPath, "InputPath", sightOf(name, given));
  const at: Beginning = { ...given, input, declared: undefined };
  const task_id = idOf(name);
  const used = new Set<string>();
  const branchOf = (target: string): string => {
    const word = target.replaceAll(/\W+/g, "_").slice(0, maxName - 4);
    const wanted = /^[A-Za-z_]/.test(word) && !isTakenBranch(word) ? word : `to_${word}`;
    let free = wanted;
    for (let count = 2; used.has(free); count++) free = `${wanted}_${count}`;
    used.add(free);
    return free;
  };
  /** Names of the branches that lead to each state. */
  const targets = new Map<string, string[]>();
  const lead = (target: unknown, field: string): string => {
    if (typeof target !== "string") throw refusal(name, field, "is expected to be the name of a state.");
    const branch = branchOf(target);
    targets.set(target, [...(targets.get(target) ?? []), branch]);
    return branch;
  };
  const branches = Choices.map((rule: unknown, place) => {
    const field = `Choices[${place}]`;
    const fields = asFields(name, field, rule);
    const condition = conditionOf(fields, field, given.jsonata, sightOf(name, at));
    const { Comment } = fields;
    return {
      name: lead(fields.Next, `${field}.Next`),
      condition,
      ...(typeof Comment === "string" && { description: Comment }),
    };
  });
  const otherwise = Default === undefined ? undefined : lead(Default, "Default");
  const { Comment } = state;
  const task = withEntry(
    {
      task_id,
      ...(typeof Comment === "string" && { description: Comment }),
      choose: { branches, ...(otherwise !== undefined && { else: otherwise }) },
    },
    at,
  );
  machine.tasks.push(task);
  const meeting = machine.meetings.get(name);
  const output = given.jsonata ? input : pathOf(state.OutputPath, "OutputPath", { ...sightOf(name, at), input });
  const read = [...targets].map(([target, names]) => {
    const chosen = names.map((branch): Reference => ({ name: task_id, path: [{ key: branch }], optional: false }));
    const after = [task_id];
    const condition = chosen.map((each) => formatReference(each)).join(" or ");
    const gate = chosen.map((each) => `${formatReference({ ...each, optional: true })} = true`).join(" or ");
    const within: Beginning = { ...at, input: output, after, gate, entry: { after, fields: { when: { condition } } } };
    const chain = target === meeting ? undefined : readOn(machine, target, within, [name, "Choices"], meeting);
    return {
      gate,
      chosen,
      chain: chain ?? { output, last: after, joins: false, variables: at.variables, fails: false },
    };
  });
  const going = read.filter(({ chain }) => !chain.fails);
  const ends = going.length === 0 ? read : going;
  const variables = new Map<string, Value>();
  for (const key of ends[0]!.chain.variables.keys()) {
    const values = ends.flatMap(({ chosen, chain }): ChoiceOption[] => {
      const value = chain.variables.get(key);
      return value === undefined ? [] : [{ chosen, value }];
    });
    if (values.length === ends.length) variables.set(key, oneOf(values));
  }
  return {
    tasks: [],
    output: oneOf(ends.map(({ chosen, chain }) => ({ chosen, value: chain.output }))),
    last: [...new Set(ends.flatMap(({ chain }) => chain.last))],
    joins: ends.length > 1 || ends[0]!.chain.joins,
    variables,
    fails: going.length === 0,
    // Where a branch fails, what comes after the others must not begin beside it.
    ...(going.length > 0 && going.length < read.length && { gate: going.map((each) => each.gate).join(" or ") }),
    ...(meeting !== undefined && going.length > 0 && { next: meeting }),
  };
}

function isTakenBranch(word: string): boolean {
  return word === "chosen" || word === "answer" || word in Object.prototype;
}
