import type { AgentCard, Artifact, Message, Part } from "@a2a-js/sdk";
import type { PlannerTask } from "planloom";
import { isRecord } from "planloom/plan";
import { takes } from "./agent-card.ts";

const dataType = "application/json";

export const textPart = (text: string): Part => ({
  content: { $case: "text", value: text },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

export const dataPart = (value: unknown): Part => ({
  content: { $case: "data", value },
  metadata: undefined,
  filename: "",
  mediaType: dataType,
});

/**
 * What an agent is sent: the task's instructions in words, and the input as data. An agent that takes no JSON gets the data as text; an input of one text alone is
 * that text where the task says nothing.
 */
export function inputParts(card: AgentCard, input: Readonly<Record<string, unknown>>, task: PlannerTask): Part[] {
  const said = [task.instructions, task.description].find((text) => typeof text === "string" && text.trim() !== "");
  const values = Object.values(input);
  const [only] = values;
  if (values.length === 1 && typeof only === "string" && !takes(card, dataType)) {
    return [textPart(said === undefined || said === only ? only : `${said}\n\n${only}`)];
  }
  const words = said ?? (values.length === 1 && typeof only === "string" ? only : undefined);
  if (values.length === 0) return [textPart(words ?? task.title ?? task.task_id)];
  if (takes(card, dataType)) return [...(words === undefined ? [] : [textPart(words)]), dataPart({ ...input })];
  const data = JSON.stringify(input, undefined, 2);
  return [textPart(words === undefined ? data : `${words}\n\n${data}`)];
}

/** The words of a message, for people. */
export function messageText(message: Message | undefined): string {
  const texts = (message?.parts ?? []).map(({ content }) => {
    if (content?.$case === "text") return content.value;
    return content?.$case === "data" ? JSON.stringify(content.value) : "";
  });
  return texts.filter((text) => text !== "").join("\n");
}

/** The data of a message, without its texts, for people who answer it. */
export function messageData(message: Message | undefined): unknown {
  const values = (message?.parts ?? []).flatMap(({ content }) =>
    content?.$case === "data" ? [content.value as unknown] : [],
  );
  return values.length > 1 ? values : values[0];
}

/** A file that an agent gave. */
interface FileOutput {
  readonly filename?: string;
  readonly media_type?: string;
  readonly url?: string;
  /** Base64. */
  readonly bytes?: string;
}

/**
 * What came of a task, as a plan sees it: the one data part; else the text, if there is only that; else a list of the parts' values. Words beside one data part go with
 * none of it: they are for people.
 */
export function outputOf(parts: readonly Part[]): unknown {
  const values = parts.flatMap((part) => valueOfPart(part));
  const rest = values.filter(({ isText }) => !isText);
  if (rest.length === 1) return rest[0]!.value;
  if (rest.length === 0) return values.length === 0 ? null : values.map(({ value }) => value).join("\n");
  return values.map(({ value }) => value);
}

export const artifactParts = (artifacts: readonly Artifact[]): Part[] => artifacts.flatMap(({ parts }) => parts);

function valueOfPart({ content, filename, mediaType }: Part): { readonly value: unknown; readonly isText: boolean }[] {
  const file = { ...(filename !== "" && { filename }), ...(mediaType !== "" && { media_type: mediaType }) };
  switch (content?.$case) {
    case "text":
      return [{ value: content.value, isText: true }];
    case "data":
      return [{ value: content.value ?? null, isText: false }];
    case "url":
      return [{ value: { ...file, url: content.value } satisfies FileOutput, isText: false }];
    case "raw":
      return [
        {
          value: { ...file, bytes: Buffer.from(content.value).toString("base64") } satisfies FileOutput,
          isText: false,
        },
      ];
    default:
      return [];
  }
}

/** An answer in the words of the Agents Planning System: `{ success, data }`, or `{ success: false, message }`. */
export function isReply(
  value: unknown,
): value is { readonly success: boolean; readonly data?: unknown; readonly message?: unknown } {
  if (!isRecord(value) || typeof value.success !== "boolean") return false;
  return Object.keys(value).every((key) => key === "success" || key === "data" || key === "message");
}
