import { useState } from "preact/hooks";
import type { PageData } from "../../src/page-data.ts";
import type { PageState } from "../state.ts";
import { JsonField } from "./json-field.tsx";
import { JsonView } from "./json-view.tsx";

type WaitingCall = NonNullable<PageData["run"]>["waiting"][number];

/** Whether a question has an answer of its own (`ask` of an executor, an agent that asks), beside yes and no. */
export function asksForAnswer({ uid, input, input_schema }: WaitingCall): boolean {
  return uid === "person" && typeof input?.question === "string" && answerSchema(input_schema) !== undefined;
}

function answerSchema(schema: WaitingCall["input_schema"]): { readonly type?: unknown } | undefined {
  const { answer } = ((typeof schema === "object" && schema.properties) || {}) as { readonly answer?: object };
  return answer;
}

/** A question in words: what is typed is the answer; a yes without one gives none. */
export function PersonQuestion({ call, state }: { readonly call: WaitingCall; readonly state: PageState }) {
  const { question, about } = call.input ?? {};
  const { type = "string" } = answerSchema(call.input_schema) ?? {};
  const [answer, setAnswer] = useState<{ readonly json: unknown } | undefined>({ json: type === "string" ? "" : null });
  const [note, setNote] = useState("");
  const isEmpty = answer?.json === "" || answer?.json === null;
  const say = (kind: "approve" | "deny") =>
    state.act({
      kind,
      id: call.id,
      contentHash: call.content_hash,
      ...(note !== "" && { note }),
      ...(kind === "approve" && !isEmpty && { input: { ...call.input, answer: answer?.json } }),
    });
  return (
    <section class="question" aria-label={`Question of ${call.id}`}>
      <h3>{String(question)}</h3>
      <p class="muted">
        <code>{call.id}</code>
      </p>
      {about !== undefined && <JsonView value={about} />}
      {type === "string" ? (
        <label>
          Answer <input class="answer" onInput={(event) => setAnswer({ json: event.currentTarget.value })} />
        </label>
      ) : (
        <JsonField label="Answer (JSON)" initial={null} onChange={setAnswer} />
      )}
      <label>
        Note <input value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <p class="actions">
        <button type="button" class="main" disabled={answer === undefined} onClick={() => void say("approve")}>
          {isEmpty ? "Yes, without an answer" : "Answer"}
        </button>
        <button type="button" onClick={() => void say("deny")}>
          Deny
        </button>
      </p>
    </section>
  );
}
