import { spawnSync } from "node:child_process";

/**
 * A program that readers build for themselves. Where it is not given, the bench says so and ends; where it cannot be started, it ends with one line and exit code 2.
 * @param flag that names it
 * @param what it is, and whose
 */
export function neededProgram(flag: string, program: string | undefined, what: string): string {
  if (program === undefined) {
    console.error(`Nothing is measured without ${what}: build it and give ${flag} EXE.`);
    process.exit(0);
  }
  const { error } = spawnSync(program, [], { stdio: "ignore", timeout: 10_000 });
  if (error !== undefined && "code" in error && error.code !== "ETIMEDOUT") {
    console.error(`${flag} expects ${what}, but ${program} cannot be started (${String(error.code)}).`);
    process.exit(2);
  }
  return program;
}
