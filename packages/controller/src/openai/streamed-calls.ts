import { isRecord } from "@planloom/plan";
import type { ModelToolCall, ProviderData } from "../model.ts";
import { dataOfCall, mergeData } from "./provider-data.ts";
import { argumentsOf, functionOf } from "./read-calls.ts";

interface StreamedCall {
  readonly index: number;
  id: string;
  name: string;
  readonly pieces: string[];
  data: ProviderData | undefined;
}

/**
 * Puts tool calls together from the pieces of a stream. A piece belongs to the last call of its index, unless it begins another one:
 * some endpoints (Gemini's) give every call of an answer the index 0, and distinguish them by their ids, or not at all.
 */
export class StreamedCalls {
  readonly #calls: StreamedCall[] = [];
  readonly #byIndex = new Map<number, StreamedCall>();

  get count(): number {
    return this.#calls.length;
  }

  /** @returns the new piece of arguments, for listeners */
  add(piece: unknown): string {
    const called = isRecord(piece) ? functionOf(piece) : undefined;
    if (!isRecord(piece) || called === undefined) return "";
    const name = typeof called.name === "string" ? called.name : "";
    const id = typeof piece.id === "string" ? piece.id : "";
    // A call starts with its name; servers that leave out the index send each call whole.
    const index =
      typeof piece.index === "number" ? piece.index : Math.max(0, this.#calls.length - (name === "" ? 1 : 0));
    const known = this.#byIndex.get(index);
    const call = known === undefined || startsAnother(known, id, name) ? this.#begin(index) : known;
    call.id ||= id;
    call.name = nameAfter(call, name);
    call.data = mergeData(call.data, dataOfCall(piece));
    const written = argumentsOf(called);
    if (written !== "") call.pieces.push(written);
    return written;
  }

  #begin(index: number): StreamedCall {
    const call: StreamedCall = { index, id: "", name: "", pieces: [], data: undefined };
    this.#calls.push(call);
    this.#byIndex.set(index, call);
    return call;
  }

  /** In the order of their indexes; those of one index in the order in which they came. */
  all(): ModelToolCall[] {
    return this.#calls
      .toSorted((left, right) => left.index - right.index)
      .map(({ id, name, pieces, data }) => {
        return { id, name, arguments: pieces.join(""), ...(data !== undefined && { providerData: data }) };
      });
  }
}

/** Servers that repeat the name with every piece of one call repeat its id too, or have not written its arguments whole yet. */
function startsAnother(known: StreamedCall, id: string, name: string): boolean {
  if (name === "" || known.name === "") return false;
  if (id !== "" && known.id !== "") return id !== known.id;
  return isWhole(known.pieces.join(""));
}

function isWhole(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** A name is repeated, or comes in pieces before the arguments do. */
function nameAfter({ name: before, pieces }: StreamedCall, piece: string): string {
  if (pieces.length > 0 || before === piece) return before || piece;
  return piece.startsWith(before) ? piece : before + piece;
}
