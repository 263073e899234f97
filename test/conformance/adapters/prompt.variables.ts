import { planExecutePrompts } from "@planloom/runtime";

/** Which variables stand in the messages of a prompt: each is given a mark to look for. */
const adapter: ConformanceAdapter<{ agent: "planner" | "executor" | "replanner" }> = ({ agent }) => {
  const names = ["input", "plan", "executed_steps", "step", "plan_tool", "respond_tool"] as const;
  const marks = Object.fromEntries(names.map((name) => [name, `«${name}»`])) as Record<(typeof names)[number], string>;
  const messages =
    agent === "planner" ? planExecutePrompts.planner({ input: [marks.input] }) : planExecutePrompts[agent](marks);
  const [first, ...others] = messages;
  const text = messages.map(({ content }) => content).join("\n");
  const appended = agent === "planner" && others.every(({ content }) => content === marks.input);
  return {
    system: first?.role === "system",
    user: others.some(({ role }) => role === "user"),
    placeholders: names
      .filter((name) => text.includes(marks[name]))
      .map((name) => (appended ? `${name} (messages appended after the system prompt)` : name)),
  };
};
export default adapter;
