import { userInfo } from "node:os";

/** The name of the account that runs the program. Accounts may have none, in containers for example. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
