/** Where a task is, in the order in which colours are drawn. Their numbers are what the page computes with. */
export const statuses = [
  "pending",
  "delayed",
  "skipped",
  "completed",
  "running",
  "waiting",
  "asked",
  "cancelled",
  "failed",
] as const;
export type Status = (typeof statuses)[number];

const numbers = new Map<string, number>(statuses.map((name, number) => [name, number]));

/** The number of a status by its name in the page, in events or in records. */
export const statusNumber = (name: string): number => numbers.get(name === "waiting_approval" ? "asked" : name) ?? 0;

export const pending = statusNumber("pending");
export const running = statusNumber("running");
export const completed = statusNumber("completed");
export const failed = statusNumber("failed");
export const skipped = statusNumber("skipped");
export const waiting = statusNumber("waiting");
export const asked = statusNumber("asked");

/** A sign beside the colour, for those who do not see colours apart. */
export const statusSigns: Readonly<Record<Status, string>> = {
  pending: "·",
  delayed: "…",
  skipped: "–",
  completed: "✓",
  running: "▶",
  waiting: "◷",
  asked: "?",
  cancelled: "◼",
  failed: "✕",
};

export const statusWords: Readonly<Record<Status, string>> = {
  pending: "not started",
  delayed: "waits for its turn",
  skipped: "skipped",
  completed: "completed",
  running: "running",
  waiting: "waits for a time or a signal",
  asked: "waits for approval",
  cancelled: "cancelled",
  failed: "failed",
};

/** What several tasks are, as in "3 waiting for approval". */
export const countWords: Readonly<Record<Status, string>> = {
  ...statusWords,
  delayed: "waiting for their turn",
  waiting: "waiting for a time or a signal",
  asked: "waiting for approval",
};

/** Where a run has something to do still, or may be taken up again. */
export const openRunStatuses: ReadonlySet<string> = new Set([
  "running",
  "waiting",
  "waiting_approval",
  "interrupted",
  "drained",
  "shut_down",
]);

const runWords: Readonly<Record<string, string>> = {
  waiting_approval: "waits for approval",
  waiting: "waits for a time or a signal",
  shut_down: "shut down",
  budget: "out of budget",
  round_limit: "replans used up",
};

/** A run's status in words. */
export const runStatusWords = (status: string): string => runWords[status] ?? status.replaceAll("_", " ");
