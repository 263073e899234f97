import { useState } from "preact/hooks";
import type { PageData } from "../../src/page-data.ts";
import { clock } from "../format.ts";
import type { PageState } from "../state.ts";
import { JsonField } from "./json-field.tsx";
import { JsonView } from "./json-view.tsx";

/** A question about a call that was begun and whose outcome is unknown: it was carried out and gave this, it is made again, or it is left out. */
export function BegunQuestion({
  call,
  state,
}: {
  readonly call: NonNullable<PageData["run"]>["waiting"][number];
  readonly state: PageState;
}) {
  const [note, setNote] = useState("");
  const [isDone, setDone] = useState(false);
  const [output, setOutput] = useState<{ readonly json: unknown } | undefined>({ json: null });
  const answer = (kind: "approve" | "deny") =>
    state.act({
      kind,
      id: call.id,
      contentHash: call.content_hash,
      ...(note !== "" && { note }),
      ...(kind === "approve" && isDone && output !== undefined && { output: output.json }),
    });
  return (
    <section class="question" aria-label={`Outcome of ${call.id}`}>
      <h3>
        Was <code>{call.uid ?? call.id}</code> carried out?
      </h3>
      <p>
        <code>{call.id}</code> was begun at {clock(call.begun_at ?? "")}, and how it ended is unknown. It was called
        with
      </p>
      <JsonView value={call.input ?? call.parameters ?? {}} />
      {isDone && <JsonField label="It gave (JSON)" initial={null} onChange={setOutput} />}
      <label>
        Note <input value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      {isDone ? (
        <p class="actions">
          <button type="button" class="main" disabled={output === undefined} onClick={() => void answer("approve")}>
            Take this as its output
          </button>
          <button type="button" onClick={() => setDone(false)}>
            Back
          </button>
        </p>
      ) : (
        <p class="actions">
          <button type="button" onClick={() => setDone(true)}>
            It was carried out
          </button>
          <button type="button" onClick={() => void answer("deny")}>
            Leave it out
          </button>
          <button type="button" onClick={() => void answer("approve")}>
            Call it again
          </button>
        </p>
      )}
    </section>
  );
}
