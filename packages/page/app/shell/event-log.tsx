import { useSignal } from "@preact/signals";
import { JsonView } from "../details/json-view.tsx";
import { duration } from "../format.ts";
import type { PageState } from "../state.ts";

const pageSize = 200;

const longestText = 200;

/** What an event says in addition to what and when: short values in its line, the rest below it. */
function Fields({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const fields = Object.entries(of).map(([name, value]) => [name, shortText(name, value), value] as const);
  const long = fields.filter(([, short]) => short === undefined).map(([name, , value]) => [name, value] as const);
  return (
    <>
      {fields.map(([name, short]) =>
        short === undefined ? null : (
          <span key={name} class="field">
            <span class="muted">{name}</span> {short}
          </span>
        ),
      )}
      {long.length > 0 && <JsonView value={Object.fromEntries(long)} />}
    </>
  );
}

/** A value that fits into a line; undefined where it does not. */
function shortText(name: string, value: unknown): string | undefined {
  if (typeof value === "number") return name.endsWith("Ms") ? duration(value) : value.toLocaleString("en");
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" && value.length <= longestText ? value : undefined;
}

/** What happened, newest first, up to the moment that is shown. */
export function EventLog({ state }: { readonly state: PageState }) {
  void state.version.value;
  const shown = useSignal(pageSize);
  const run = state.data.value?.run;
  if (run === undefined) return <p class="muted">This plan is not executed.</p>;
  const until = state.time.value ?? Number.POSITIVE_INFINITY;
  const events = run.events.filter(({ timestamp = 0 }) => timestamp <= until);
  if (events.length === 0) {
    return <p class="muted">The journal of this run keeps no events. The timeline is from the records of its tasks.</p>;
  }
  return (
    <section class="log" aria-label="Events">
      <ol class="plain">
        {events
          .slice(-shown.value)
          .reverse()
          .map((event) => {
            const { seq, at, timestamp, type, runId: _, ...rest } = event;
            const { taskId, ...more } = rest as { taskId?: string };
            return (
              <li key={seq}>
                <span class="muted number">{duration((timestamp ?? at) - state.history.from)}</span>{" "}
                <strong>{type}</strong>{" "}
                {taskId !== undefined && (
                  <button type="button" class="link" onClick={() => state.select(state.numberOf(taskId))}>
                    {taskId}
                  </button>
                )}
                <Fields of={more} />
              </li>
            );
          })}
      </ol>
      {events.length > shown.value && (
        <button
          type="button"
          class="link"
          onClick={() => {
            shown.value += pageSize;
          }}
        >
          {(events.length - shown.value).toLocaleString("en")} earlier
        </button>
      )}
    </section>
  );
}
