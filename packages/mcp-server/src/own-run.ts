import { type Planloom, RuntimeError, RuntimeErrorCode } from "planloom";

/**
 * Refuses a run of another tenant as one that does not exist. Servers of several tenants may share a journal; one without a tenant sees all runs of it.
 * @throws RuntimeError RUN_NOT_FOUND
 */
export async function requireOwnRun(planloom: Planloom, runId: string, tenant: string | undefined): Promise<void> {
  if (tenant === undefined) return;
  const journal = await planloom.journal();
  const { options } = await journal.getRun(runId);
  if (options.tenant === tenant) return;
  const message = `No run ${JSON.stringify(runId)} is in the journal (${journal.name}). Give the whole id, not its beginning.`;
  throw new RuntimeError(RuntimeErrorCode.RUN_NOT_FOUND, message, { details: { run_id: runId } });
}
