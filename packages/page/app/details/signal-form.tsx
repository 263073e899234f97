import { useState } from "preact/hooks";
import type { PageData } from "../../src/page-data.ts";
import type { PageState } from "../state.ts";
import { JsonField } from "./json-field.tsx";

type Wait = NonNullable<NonNullable<PageData["run"]>["states"][number]["waits"]>[number];

/** A signal for a task that waits for one: what is sent with it becomes the output of the task. */
export function SignalForm({ wait, state }: { readonly wait: Wait; readonly state: PageState }) {
  const [data, setData] = useState<{ readonly json: unknown } | undefined>({ json: null });
  const { event, key } = wait;
  if (event === undefined) return null;
  return (
    <form
      class="question signal"
      aria-label={`Signal ${event}`}
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (data === undefined) return;
        void state.act({ kind: "signal", event, ...(key !== undefined && { key }), data: data.json });
      }}
    >
      <h3>
        Waits for the signal <code>{event}</code>
        {key !== undefined && (
          <>
            {" "}
            of <code>{key}</code>
          </>
        )}
      </h3>
      <JsonField label="What is sent with it (JSON)" initial={null} onChange={setData} />
      <p class="actions">
        <button type="submit" class="main" disabled={data === undefined}>
          Send it
        </button>
      </p>
    </form>
  );
}
