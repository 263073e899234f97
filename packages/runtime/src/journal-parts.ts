// For the authors of journals and dispatchers: what those of Planloom are made of. It may change with any release.
export { checkOptions } from "./check-options.ts";
export { emptyDispatch } from "./dispatch/empty-dispatch.ts";
export { ParentLink } from "./dispatch/parent-link.ts";
export { costsOf } from "./dispatch/port/dispatch-costs.ts";
export { isFromWorker } from "./dispatch/read-message.ts";
export { WorkerLink } from "./dispatch/worker-link.ts";
export type { ToParent, ToWorker } from "./dispatch/worker-messages.ts";
export { invalid } from "./invalid-option.ts";
export { assembleRun, type RunRow } from "./journal/assemble-run.ts";
export { cancelCode, cancelOfCode } from "./journal/cancel-code.ts";
export { checkChain } from "./journal/check-chain.ts";
export { checkStoredRun } from "./journal/check-stored-run.ts";
export { readJournalKey } from "./journal/journal-key.ts";
export {
  type Lease,
  leasedError,
  leaseLostError,
  leaseRenewalMs,
  leaseTimeoutMs,
  livenessOf,
} from "./journal/lease.ts";
export {
  IllegibleRow,
  parseAnswer,
  parseCall,
  parseEvent,
  parseJson,
  parseNested,
  parsePending,
  parsePlanRow,
  parseRecord,
  parseRevision,
  parseSchemas,
  parseTasksRow,
  parseWait,
} from "./journal/legible.ts";
export { nestedRecordKey, pendingKey } from "./journal/pending-key.ts";
export { planEntries, planFromRows, planHead, planParts } from "./journal/plan-parts.ts";
export { type ProcessIdentity, thisProcess } from "./journal/process-identity.ts";
export { refuseCorrupt } from "./journal/refuse-corrupt.ts";
export { revisionEntries } from "./journal/revision-entries.ts";
export type { ChecksumProblem } from "./journal/run-chain.ts";
export {
  type ChainEntry,
  type ChainValue,
  firstHead,
  keyMark,
  nextHead,
  rowDigest,
  sealedText,
} from "./journal/run-chain.ts";
export { keyError } from "./journal/run-chain-key.ts";
export { metadataMatcher, openStatuses, type ReadListOptions, readListOptions } from "./journal/run-filter.ts";
export { checkRunId, runExists, runNotFound, taskNotFound } from "./journal/run-id.ts";
export { type ListedRow, newRunRow, reopened, statusColumn, summaryOfRow } from "./journal/run-rows.ts";
export type { ChainEnd, SealedRow, SealedRun } from "./journal/sealed-run.ts";
export { runColumns, taskColumns, taskKey } from "./journal/sealed-tables.ts";
export { type SignalRow, signalFromRow } from "./journal/signal-row.ts";
export { signalSchemasOf } from "./journal/signal-schemas.ts";
export {
  outputFromStoredRow,
  placeOutput,
  recordFromStoredRow,
  recordsFromRows,
  type StoredOutput,
  type StoredTaskRow,
  taskValues,
} from "./journal/stored-task-row.ts";
export { recordToRow, type TaskRow } from "./journal/task-row.ts";
export { refuseEarly, refuseEnded, signalsFull } from "./journal/wait-refusals.ts";
export { optionsOfWorker } from "./options/run/worker-fields.ts";
export { runInWorker } from "./plan-execution/worker-run.ts";
export {
  checkChain as checkRevisionBase,
  lastRevision,
  replacedIds,
  tasksAddedBy,
  withRevisions,
} from "./ports/stored-revision.ts";
export { stopReasonOf } from "./stop-reason.ts";
export { begunCalls } from "./task-execution/begun-calls.ts";
