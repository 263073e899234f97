import { useState } from "preact/hooks";
import type { PageData } from "../../src/page-data.ts";
import { isAboutTask } from "../model/is-about-task.ts";
import type { PageState } from "../state.ts";
import { wordOf } from "./answers.tsx";
import { BegunQuestion } from "./begun-question.tsx";
import { JsonField } from "./json-field.tsx";
import { JsonView } from "./json-view.tsx";
import { asksForAnswer, PersonQuestion } from "./person-question.tsx";

type WaitingCall = NonNullable<PageData["run"]>["waiting"][number];
type ApprovalAnswer = NonNullable<WaitingCall["answer"]>;

/** What a person is asked about this task and the calls in it; without a task, about all of the run. */
export function Questions({ state, taskId }: { readonly state: PageState; readonly taskId?: string }) {
  const waiting = state.data.value?.run?.waiting ?? [];
  const asked = waiting.filter(({ id }) => taskId === undefined || isAboutTask(id, taskId));
  return (
    <>
      {asked.map((call) => {
        if (call.answer !== undefined)
          return <Answered key={`${call.id}/${call.content_hash}`} call={call} answer={call.answer} state={state} />;
        const Own = asksForAnswer(call) ? PersonQuestion : Question;
        const Card = call.begun_at === undefined ? Own : BegunQuestion;
        return <Card key={`${call.id}/${call.content_hash}`} call={call} state={state} />;
      })}
    </>
  );
}

/** A call that was answered, of a run that has not gone on: the server continues by itself only runs that it began. */
function Answered({
  call,
  answer,
  state,
}: {
  readonly call: WaitingCall;
  readonly answer: ApprovalAnswer;
  readonly state: PageState;
}) {
  const isStopped = state.data.value?.run?.resumable === true;
  return (
    <section class="question" aria-label={`Answer to ${call.id}`}>
      <h3>
        <code>{call.uid ?? call.id}</code>: {wordOf(answer)}
        {answer.by !== undefined && ` by ${answer.by}`}
      </h3>
      {isStopped && (
        <>
          <p>The run goes on with it when it is resumed: here with the tools of this server, or where it was begun.</p>
          <p class="actions">
            <button type="button" class="main" onClick={() => void state.act({ kind: "resume" })}>
              Resume
            </button>
          </p>
        </>
      )}
    </section>
  );
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

function Question({ call, state }: { readonly call: WaitingCall; readonly state: PageState }) {
  const [note, setNote] = useState("");
  const [isEdited, setEdited] = useState(false);
  const asked = call.input ?? call.parameters ?? {};
  const [input, setInput] = useState<{ readonly json: unknown } | undefined>({ json: asked });
  const answer = (kind: "approve" | "deny") =>
    state.act({
      kind,
      id: call.id,
      contentHash: call.content_hash,
      ...(note !== "" && { note }),
      ...(kind === "approve" && isEdited && input !== undefined && { input: input.json as object }),
    });
  return (
    <section class="question" aria-label={`Approval of ${call.id}`}>
      <h3>
        May <code>{call.uid ?? call.id}</code> be called?
      </h3>
      {call.uid !== undefined && call.uid !== call.id && (
        <p class="muted">
          <code>{call.id}</code>
        </p>
      )}
      {isEdited ? (
        <JsonField
          label="It is called with"
          initial={asked}
          refuse={(value) => (isObject(value) ? undefined : "Expected an object: { … }.")}
          onChange={setInput}
        />
      ) : (
        <JsonView value={asked} />
      )}
      {call.parameters !== undefined && call.input !== undefined && (
        <>
          <p class="muted">Parameters</p>
          <JsonView value={call.parameters} />
        </>
      )}
      {call.retry_until !== undefined && (
        <p>
          It is called again until <code>{call.retry_until.condition}</code>
          {call.retry_until.max_polls === undefined
            ? ", however often"
            : `, at most ${call.retry_until.max_polls} times`}
          . A yes is one to all of these calls.
        </p>
      )}
      <label>
        Note <input value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <p class="actions">
        <button
          type="button"
          class="main"
          disabled={isEdited && input === undefined}
          onClick={() => void answer("approve")}
        >
          {isEdited ? "Approve with this input" : "Approve"}
        </button>
        <button type="button" onClick={() => void answer("deny")}>
          Deny
        </button>
        {!isEdited && (
          <button type="button" onClick={() => setEdited(true)}>
            Change the input
          </button>
        )}
      </p>
    </section>
  );
}
