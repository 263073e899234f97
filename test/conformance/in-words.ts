/** Readers for what some cases describe in words instead of writing it out. They are pure, and know no case. */

/** `300 x characters`: that text. @returns undefined for a text that describes none. */
export function textInWords(described: unknown): string | undefined {
  const [, count, character] = /^(\d+) (\S) characters$/.exec(String(described)) ?? [];
  return character?.repeat(Number(count));
}

/** `<str of 1202 JSON chars>`, `dict` or `list`: a value whose JSON is that long. Any other value stays as it is. */
export function valueInWords(described: unknown): unknown {
  const [, type, count] = /^<(str|dict|list) of (\d+) JSON chars>$/.exec(String(described)) ?? [];
  if (type === undefined) return described;
  const fillings = {
    str: (text: string) => text,
    dict: (text: string) => ({ k: text }),
    list: (text: string) => [text],
  };
  const make = fillings[type as keyof typeof fillings];
  return make("x".repeat(Number(count) - JSON.stringify(make("")).length));
}

/** A step of `stepsInWords`, in the form of mcp-cli. */
export interface StepInWords {
  readonly index: string;
  readonly title: string;
  readonly tool: string;
  readonly args: Record<string, never>;
  readonly depends_on: string[];
  readonly delayMs: number;
}

/** `1(10ms), 2(300ms) independent; 3 depends on 1 only`: steps with tools of their own (`tool1`), in order of their numbers. */
export function stepsInWords(described: string): StepInWords[] {
  const delays = new Map([...described.matchAll(/(\d+)\((\d+) ?ms\)/g)].map(([, index, ms]) => [index!, Number(ms)]));
  const needs = new Map(
    [...described.matchAll(/(\d+) depends on (\d+(?:(?:, | and )\d+)*)/g)].map(([, index, others]) => [
      index!,
      others!.split(/, | and /),
    ]),
  );
  const indices = [...new Set([...delays.keys(), ...needs.keys()])].sort((left, right) => Number(left) - Number(right));
  return indices.map((index) => ({
    index,
    title: `Step ${index}`,
    tool: `tool${index}`,
    args: {},
    depends_on: needs.get(index) ?? [],
    delayMs: delays.get(index) ?? 0,
  }));
}

const ordinals = ["first", "second", "third", "fourth", "fifth"];

/** `executor, second round`: the agent, and the round counted from 0. @throws Error for anything else */
export function roundInWords(described: string): { readonly agent: string; readonly round: number } {
  const [, agent, ordinal] = /^(\w+), (\w+) round$/.exec(described) ?? [];
  const round = ordinals.indexOf(ordinal ?? "");
  if (agent === undefined || round < 0) throw new Error(`Expected an agent and a round, got "${described}".`);
  return { agent, round };
}

/** The number in `first 8 characters as shown by list`. */
export function numberInWords(described: string): number {
  return Number(/\d+/.exec(described)?.[0]);
}
