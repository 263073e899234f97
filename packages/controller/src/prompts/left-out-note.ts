/** A note for a model that it does not see all resources; empty when it does. */
export function leftOutNote(leftOut: number): string {
  return leftOut === 0
    ? ""
    : `${leftOut} more ${leftOut === 1 ? "resource is" : "resources are"} not shown: the list would be too long. Those shown fit the request best; use only them.`;
}
