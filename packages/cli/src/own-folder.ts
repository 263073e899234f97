import { CliError, CliErrorCode } from "./errors.ts";

/** Makes a folder that the user named. @throws CliError CONFIG where it cannot be made */
export async function makeOwnFolder(folder: string, hint: string): Promise<void> {
  const { makeFolder } = await import("planloom/planning");
  try {
    await makeFolder(folder);
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, `Cannot write to ${folder}: ${(cause as Error).message}.`, {
      hint,
      details: { folder },
      cause,
    });
  }
}
