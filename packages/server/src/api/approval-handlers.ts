import { approve, deny } from "planloom";
import { supplyOutput, waitingRuns } from "planloom/runtime";
import { defined } from "../defined.ts";
import { isBegunByServer } from "../own-runs.ts";
import type { approvalEndpoints } from "./approval-endpoints.ts";
import type { HandlersOf } from "./handler.ts";
import { summaryOf } from "./summary-of.ts";

export const approvalHandlers: HandlersOf<keyof typeof approvalEndpoints> = {
  async listApprovals({ workspace, query }) {
    const { q, created_after, created_before } = query;
    const journal = await workspace.journal();
    const filter = defined({ title: q, createdAfter: created_after, createdBefore: created_before });
    const runs = await waitingRuns({ journal, ...filter });
    return {
      waiting: runs.map(({ run, calls }) => ({ run: summaryOf(run), calls: calls.map((each) => ({ ...each })) })),
    };
  },

  async answerCall({ workspace, caller, params, body }) {
    const { run_id } = params;
    const { id, answer, content_hash: contentHash, input, output, note, replace } = body;
    const journal = await workspace.journal();
    // The holder of a token answers in its name, whatever the request says. Every answer says who gave it.
    const by = caller.name ?? body.by ?? workspace.anonymousName;
    const about = { journal, contentHash, ...defined({ by, note }) };
    const given =
      output !== undefined
        ? await supplyOutput(run_id, id, output, { ...about, ...defined({ replace }) })
        : answer === "approve"
          ? await approve(run_id, id, { ...about, ...defined({ input, replace }) })
          : await deny(run_id, id, about);
    // A run in progress hears it by itself; one that ended waiting is resumed.
    const { status, options } = await journal.getRun(run_id);
    const resumed = status === "waiting_approval" && isBegunByServer(options.metadata);
    if (resumed) workspace.goOn(run_id);
    return { run_id, answer: { ...given }, resumed };
  },
};
