import { useState } from "preact/hooks";
import type { PageState } from "../state.ts";

/** A goal in words becomes a plan, which is shown before it runs. */
export function StartForm({ state }: { readonly state: PageState }) {
  const [goal, setGoal] = useState("");
  const [isBusy, setBusy] = useState(false);
  const { server } = state.source;
  if (server === undefined) return null;
  return (
    <form
      class="start"
      onSubmit={async (event) => {
        event.preventDefault();
        setBusy(true);
        await state.attempt(async () => {
          location.hash = `#/plans/${encodeURIComponent(await server.plan(goal))}`;
        });
        setBusy(false);
      }}
    >
      <input
        aria-label="Goal"
        placeholder="What is to be done?"
        value={goal}
        onInput={(event) => setGoal(event.currentTarget.value)}
      />
      <button type="submit" class="main" disabled={goal.trim() === "" || isBusy}>
        {isBusy ? "Planning…" : "Plan it"}
      </button>
    </form>
  );
}
