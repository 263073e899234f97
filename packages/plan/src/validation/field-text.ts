/** What a person calls the places of a task that hold values and are not its arguments, by how the path begins. */
const names: readonly (readonly [path: RegExp, name: (match: RegExpExecArray) => string])[] = [
  [/^for_each\.items\b/, () => "the list of `for_each`"],
  [/^for_each\.given\W+([^\].]+)/, ([, index]) => `what \`for_each.given\` has for element ${index}`],
  [/^when\b/, () => "the condition of `when`"],
  [/^choose\.branches\[(\d+)\]\.condition\b/, ([, at]) => `the condition of branch ${Number(at) + 1} of \`choose\``],
  [/^wait\.until\b/, () => "the time of `wait` (`until`)"],
  [/^wait\.deadline\b/, () => "the deadline of `wait`"],
  [/^wait\.for_ms\b/, () => "the duration of `wait` (`for_ms`)"],
  [/^wait\.timeout_ms\b/, () => "the time limit of `wait` (`timeout_ms`)"],
  [/^wait\.(event|key|schema)\b/, ([, field]) => `the ${field} of \`wait\``],
  [/^retry_until\.condition\b/, () => "the condition of `retry_until`"],
  [/^retry_until\.on_deadline\b/, () => "the value of `retry_until` for its deadline"],
];

/** Words for a field of a task, or a place within it. @param path such as `wait.until` */
export function fieldText(path: string): string {
  for (const [pattern, name] of names) {
    const match = pattern.exec(path);
    if (match !== null) return name(match);
  }
  return `\`${path}\``;
}
