/** Kinds of values that a shell can offer for an argument. */
export type ValueKind = "plans" | "runs" | "tasks" | "files" | "folders";

/**
 * What the names of arguments and of values of options mean: `<plan or run>`, `--mcp <file>`. A name that is missing here is a word or a number of the user's
 * own, of which nothing can be offered.
 */
const kinds: Readonly<Record<string, readonly ValueKind[]>> = {
  plan: ["plans", "files"],
  plans: ["plans", "files", "folders"],
  other: ["plans", "files"],
  "plan or goal": ["plans", "files"],
  "run or plan": ["runs", "plans", "files"],
  "plan or run": ["plans", "runs", "files"],
  run: ["runs"],
  runs: ["runs"],
  task: ["tasks"],
  file: ["files"],
  folder: ["folders"],
  report: ["files"],
  reports: ["files", "folders"],
};

export function valueKinds(name: string): readonly ValueKind[] {
  return Object.hasOwn(kinds, name) ? kinds[name]! : [];
}
