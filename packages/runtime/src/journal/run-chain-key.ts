import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** @param key `absent`: the journal was opened without one. `other`: with another than the run's. `unused`: the run has none. */
export function keyError(runId: string, key: "absent" | "other" | "unused"): RuntimeError {
  const advice = "Open it with the key the run was begun with (option `key`, PLANLOOM_JOURNAL_KEY).";
  const message = {
    absent: `The checksums of run "${runId}" are made with a key, and the journal was opened without one. ${advice}`,
    other: `The checksums of run "${runId}" are made with another key than the journal was opened with. ${advice}`,
    unused: `The journal was opened with a key, and run "${runId}" was begun without one, so that anyone can have made its checksums. Open the journal without a key to resume it nevertheless.`,
  }[key];
  return new RuntimeError(RuntimeErrorCode.JOURNAL_KEY, message, { details: { run_id: runId } });
}
