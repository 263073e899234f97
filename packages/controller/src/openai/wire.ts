import type OpenAI from "openai";
import type { ModelRequest } from "../model.ts";
import type { OptionalFeature } from "./features.ts";
import type { StructuredMode, WantedAnswer } from "./forms.ts";
import type { RawReply } from "./read-completion.ts";

export interface RequestBody {
  readonly body: Readonly<Record<string, unknown>>;
  /** What a server could refuse of it. */
  readonly used: ReadonlySet<OptionalFeature>;
  /** The most tokens that the answer may have; absent where the endpoint decides. */
  readonly maxTokens?: number;
}

export interface BodyOptions {
  readonly model: string;
  /** What the answer must be, and how that is asked for. */
  readonly wanted?: WantedAnswer & { readonly form: StructuredMode };
  readonly stream: boolean;
  readonly refused: ReadonlySet<OptionalFeature>;
  /** The most tokens that the endpoint, or the user, lets an answer have. @default no limit */
  readonly maxTokens?: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
}

export interface StreamOptions {
  readonly url: string;
  /** Reads an answer that came whole though it is called a stream. @throws ControllerError PROTOCOL where it is none */
  readonly readText: (text: string, url: string) => RawReply;
  /** Longest silence after the answer began, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Limit of the whole stream. */
  readonly maxBytes: number;
  readonly onDelta?: (text: string, said?: string) => void;
}

/** Where a model is asked and how: all that the negotiation of a request needs to know of it. */
export interface Endpoint {
  /** For messages, and what is remembered of it is kept by this name. */
  readonly url: string;
  /** What it does not offer where a model is unknown: "does not offer the model for …". */
  readonly offer: string;
  /** What is not there where a URL is wrong: "There is no … at the URL". */
  readonly title: string;
  /** What to do where the endpoint speaks another protocol, as a sentence; empty for nothing. */
  readonly otherwise: string;
  writeBody(request: ModelRequest, options: BodyOptions): RequestBody;
  /** Makes one request. @throws ControllerError, or the signal's reason */
  send(body: RequestBody["body"], options: SendOptions): Promise<RawReply>;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Called with each piece of a stream. */
  readonly onDelta: (text: string, said?: string) => void;
  /** Called with an answer that came whole. */
  readonly onWhole: (text: string) => void;
}

/** One protocol of OpenAI-compatible endpoints: where a request goes, how it is written and how its answer is read. */
export interface Wire extends Pick<Endpoint, "offer" | "title" | "otherwise" | "writeBody"> {
  /** What follows the base URL. */
  readonly path: string;
  /** @throws ControllerError PROTOCOL, `details.body` (cut) */
  readText(text: string, url: string): RawReply;
  /** @throws ControllerError as `collectStream` does */
  collect(response: Response, client: OpenAI, options: StreamOptions): Promise<RawReply>;
}
