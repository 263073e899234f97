import { CliError, CliErrorCode } from "./errors.ts";

/** The optimizer laboratory: an optional peer, loaded by `planloom bench` alone. */
export type Laboratory = typeof import("@planloom/bench");
export type AdversarialMatrix = import("@planloom/bench").AdversarialMatrix;
export type BenchReport = import("@planloom/bench").BenchReport;
export type ReadWorkloads = import("@planloom/bench").ReadWorkloads;
export type ReportTable = import("@planloom/bench").ReportTable;
export type WorkloadPlan = import("@planloom/bench").WorkloadPlan;
export type Workload = import("@planloom/bench").Workload;

/** Whether the package is installed. */
export function hasLaboratory(): Promise<boolean> {
  return import("@planloom/bench").then(
    () => true,
    (cause: unknown) => {
      if (isNotInstalled(cause)) return false;
      throw cause;
    },
  );
}

/** @throws CliError CONFIG where the package is not installed; the message says in one line what to install */
export async function loadLaboratory(): Promise<Laboratory> {
  try {
    return await import("@planloom/bench");
  } catch (cause) {
    if (!isNotInstalled(cause)) throw cause;
    throw new CliError(
      CliErrorCode.CONFIG,
      "`planloom bench` needs the package @planloom/bench, which is not installed: npm install @planloom/bench",
      { cause },
    );
  }
}

/** Whether it is this package that Node.js could not find, and not something that the package itself imports. */
function isNotInstalled(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    error.message.includes("'@planloom/bench'")
  );
}
