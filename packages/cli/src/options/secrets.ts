import { CliError, CliErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";

const variableName = /^[A-Za-z_]\w*$/;
const name = /^[A-Za-z_][\w.-]{0,127}$/;

/**
 * What `--secret NAME` and `--secret NAME=VARIABLE` allow plans to name, read from the environment: a plan names secrets, never
 * variables, so it reads none that is not given here. Nothing that could be a value is quoted.
 * @throws CliError USAGE for a malformed pair, CONFIG for a variable that is not set
 */
export function readSecrets(given: readonly string[], io: Pick<CliIo, "env">): Record<string, string> {
  const secrets = new Map<string, string>();
  for (const pair of given) {
    const at = pair.indexOf("=");
    const secret = at === -1 ? pair : pair.slice(0, at);
    const variable = at === -1 ? pair : pair.slice(at + 1);
    if (!name.test(secret) || !variableName.test(variable)) {
      throw new CliError(CliErrorCode.USAGE, "Expected --secret NAME, or --secret NAME=VARIABLE of the environment.", {
        hint: "The value itself is not written on the command line, where other processes could read it.",
        details: { option: "--secret" },
      });
    }
    const value = io.env[variable];
    if (value === undefined || value === "") {
      throw new CliError(CliErrorCode.CONFIG, `--secret ${secret}: the environment has no variable of that name.`, {
        hint:
          at === -1
            ? `Set ${secret}, or name another variable: --secret ${secret}=VARIABLE`
            : "Set the variable first.",
        details: { option: "--secret", name: secret },
      });
    }
    secrets.set(secret, value);
  }
  return Object.fromEntries(secrets);
}
