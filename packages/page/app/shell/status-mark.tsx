import { type Status, statusSigns } from "../model/status.ts";

/** A status as a sign in its colour. The word beside it says the same. */
export function StatusMark({ status }: { readonly status: Status }) {
  return (
    <span class={`mark ${status}`} aria-hidden="true">
      {statusSigns[status]}
    </span>
  );
}
