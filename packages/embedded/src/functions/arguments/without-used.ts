import type { Draft } from "../../draft/draft.ts";
import { blank, type Token } from "../../language/text/token.ts";

/** What an argument took is gone; a break takes its place. */
export function withoutUsed(tokens: readonly Token[], draft: Draft): Token[] {
  const taken = [...draft.filled.values()].flatMap(({ filling }) =>
    filling.kind === "value" && filling.origin?.source === "goal" && filling.origin.start !== undefined
      ? [[filling.origin.start, filling.origin.start + (filling.origin.text?.length ?? 0)] as const]
      : [],
  );
  return tokens.map((token) =>
    taken.some(([from, to]) => token.start >= from && token.start < to) ? blank(token) : token,
  );
}
