/** A tool as chat-completions requests list it. */
export interface PlanToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: PlanToolName;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export type PlanToolName = "plan_create" | "plan_execute" | "plan_create_and_execute";

const goal = {
  type: "string",
  description: "What is to be reached, in words, with every name, number and condition that matters.",
};
const variables = {
  type: "object",
  description: "Values for the plan's variables, by name; they go before the plan's own.",
};
const answers = {
  type: "object",
  description:
    'Arguments that the plan lacks, by the names of its questions: {"step.argument": value}. Ask the person where you do not know.',
};
const whenToPlan = "Use it where several tool calls build on one another; for a single call, call that tool itself.";

const definitions: Readonly<Record<PlanToolName, Omit<PlanToolDefinition["function"], "name">>> = {
  plan_create: {
    description: `Makes a plan of tool calls for a goal and keeps it without running it. Gives its id and steps. ${whenToPlan}`,
    parameters: parameters({ goal }, ["goal"]),
  },
  plan_execute: {
    description: "Runs a plan made before. Steps that do not need each other run at the same time. Gives the results.",
    parameters: parameters(
      { plan_id: { type: "string", description: "The id that plan_create gave." }, variables, answers },
      ["plan_id"],
    ),
  },
  plan_create_and_execute: {
    description: `Makes a plan of tool calls for a goal, runs it and gives the results. ${whenToPlan}`,
    parameters: parameters({ goal }, ["goal"]),
  },
};

/** The three tools with which a model plans and runs by itself (mcp-cli), as OpenAI tool definitions. */
export function planTools(): PlanToolDefinition[] {
  return Object.entries(definitions).map(([name, definition]) => ({
    type: "function",
    function: { name: name as PlanToolName, ...definition },
  }));
}

/** True for names that `handlePlanTool` answers; other calls are for the program to answer. */
export function isPlanTool(name: string): name is PlanToolName {
  return Object.hasOwn(definitions, name);
}

function parameters(properties: Readonly<Record<string, unknown>>, required: readonly string[]) {
  return { type: "object", properties, required, additionalProperties: false };
}
