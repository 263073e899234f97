import { isRecord } from "@planloom/plan";
import { type Parameter, setArgument } from "../catalogue/parameter.ts";
import { type Draft, fillValue, makeDraft, type Origin } from "../draft/draft.ts";
import { maxTasks, type PlanningState } from "../draft/planning-state.ts";
import { readClause } from "../language/clauses/phrases.ts";
import { keysOf } from "./argument-keys.ts";
import type { ExactCall } from "./exact-call.ts";
import type { GoalPart } from "./read-calls.ts";
import { fitted, toValue } from "./to-value.ts";

/** Makes the drafts of calls that a goal writes out, and reports what they give that their resources do not take. */
export function draftCalls(parts: readonly GoalPart[], state: PlanningState): Map<GoalPart, Draft> {
  const drafts = new Map<GoalPart, Draft>();
  for (const part of parts) {
    if (part.kind !== "call") continue;
    if (drafts.size === maxTasks) {
      const text = state.text.slice(part.call.start, part.call.end).slice(0, 80);
      const message = `A plan has at most ${maxTasks} tasks; the calls from "${text}" on were left out.`;
      state.unresolved.push({ reason: "too_long", text, message });
      break;
    }
    drafts.set(part, draftCall(part.call, state));
  }
  return drafts;
}

function draftCall(call: ExactCall, state: PlanningState): Draft {
  const { profile } = call;
  const clause = readClause({ tokens: [], order: "also", opens: true }, state.catalogue);
  const draft = makeDraft(profile, clause, -1);
  const given: Record<string, unknown> = {};
  const origins = new Map<string, Origin>();
  const root = profile.resource.input_schema;
  const keys = keysOf(profile);
  for (const { path, written, read } of call.arguments) {
    const schema = keys.schemaAt(path);
    const value =
      read === undefined ? toValue(sentenceEnd(written, schema), schema, root) : fitted(read.value, schema, root);
    setArgument(given, path, value);
    origins.set(String(path[0]), { source: "goal", text: written.text, start: written.start, likelihood: 1 });
  }
  for (const [name, value] of Object.entries(given)) fill(draft, [name], value, origins.get(name));
  const label = profile.label;
  for (const { key, text } of call.unknown) {
    const takes = keys.names.length === 0 ? "it takes no arguments" : `it takes ${list(keys.names)}`;
    const message = `\`${label}\` has no argument \`${key}\`; ${takes}. The plan leaves "${text.slice(0, 80)}" out.`;
    state.unresolved.push({ reason: "no_parameter", text: `${key}=${text}`.slice(0, 200), message });
  }
  if (call.namesakes.length > 0) {
    const ids = [profile, ...call.namesakes].map(({ resource }) => `\`${resource.id}\``);
    const message = `${ids.length} resources are called \`${label}\`: ${ids.join(", ")}. The plan uses the first; write the id of the one that is meant.`;
    state.unresolved.push({ reason: "several_resources", text: label, message });
  }
  return draft;
}

const list = (names: readonly string[]) =>
  `${names
    .slice(0, 12)
    .map((name) => `\`${name}\``)
    .join(", ")}${names.length > 12 ? ` and ${names.length - 12} more` : ""}`;

/** "… and max_count 5.": the full stop of a sentence belongs to no number. */
function sentenceEnd<Written extends { readonly text: string; readonly isQuoted: boolean }>(
  written: Written,
  schema: Readonly<Record<string, unknown>>,
): Written {
  const isNumber = schema.type === "integer" || schema.type === "number";
  return isNumber && !written.isQuoted ? { ...written, text: written.text.replace(/\.$/, "") } : written;
}

/** The parameters of a profile hold objects field by field; what it does not know is set as a whole. */
function fill(draft: Draft, path: readonly string[], value: unknown, origin: Origin | undefined): void {
  const { parameters } = draft.profile;
  const isAt = (each: Parameter) => path.every((step, at) => each.path[at] === step);
  const own = parameters.find((each) => each.path.length === path.length && isAt(each));
  const isRead = own === undefined && isRecord(value) && parameters.some(isAt);
  if (isRead && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value)) fill(draft, [...path, name], inner, origin);
  else fillValue(draft, own ?? unknownParameter(path), value, origin);
}

/** A parameter of which the profile says nothing: it takes anything here, and validation of the whole plan judges it. */
function unknownParameter(path: readonly string[]): Parameter {
  return {
    ...{
      path,
      name: path.at(-1) ?? "",
      words: [],
      stems: [],
      about: new Set(),
      description: "",
      format: "",
      schema: {},
    },
    ...{ types: new Set(), takesOne: true, takesList: true, required: false, choices: [], entity: [] },
    ...{ medium: undefined, side: undefined, direction: undefined, holdsDay: false, isLimit: false },
    ...{ isIdentifier: false, isPlace: false, isCredential: false },
  };
}
