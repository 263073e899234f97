import { type Draft, key, makeDraft } from "../../draft/draft.ts";
import { missingArguments } from "../../draft/tasks.ts";
import { findSpans } from "../../language/clauses/spans.ts";
import type { Token } from "../../language/text/token.ts";
import { fillCall } from "./fill-call.ts";
import type { FunctionPlanning } from "./function-planning.ts";
import { withoutUsed } from "./without-used.ts";

/** Words of another call are borrowed only for a value that is at least this likely. */
const minBorrowedLikelihood = 0.2;

interface CallInText {
  readonly tokens: readonly Token[];
  readonly draft: Draft;
  readonly drafts: readonly Draft[];
}

/**
 * Where one call's words end and the next one's begin is a guess. A required argument that is still open takes a value
 * from what the goal says right before and after, if no call used it. Linear in the calls.
 */
export function borrowWords(calls: readonly CallInText[], planning: FunctionPlanning): void {
  const all = calls.flatMap((call) => call.drafts);
  const unused = (call: CallInText | undefined) =>
    call === undefined ? [] : all.reduce((left, draft) => withoutUsed(left, draft), [...call.tokens]);
  calls.forEach((call, at) => {
    const { draft } = call;
    const open = missingArguments(draft);
    if (open.length === 0 || !call.drafts.includes(draft)) return;
    const tokens = [...unused(calls[at - 1]), ...unused(call), ...unused(calls[at + 1])];
    const again = makeDraft(draft.profile, draft.clause, draft.phrase);
    for (const [slot, each] of draft.filled) again.filled.set(slot, each);
    const earlier = calls.slice(0, at).flatMap((other) => other.drafts);
    fillCall(again, findSpans(planning.text, tokens, planning.catalogue), tokens, earlier, planning);
    for (const parameter of open) {
      const found = again.filled.get(key(parameter));
      if (found?.filling.kind === "value" && (found.filling.origin?.likelihood ?? 0) >= minBorrowedLikelihood)
        draft.filled.set(key(parameter), found);
    }
  });
}
