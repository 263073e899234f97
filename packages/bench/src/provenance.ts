import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

/** Which code measured: a row of other code is another row. */
export interface Provenance {
  /** Of `@planloom/bench`, which is released with the optimizer. */
  readonly version: string;
  /** The commit of a checkout, with a hash of what was changed since; `unknown` of an installed package, which its version says enough about. */
  readonly commit: string;
}

/** That of package.json, which a bundle does not have beside it; a test compares the two. */
const VERSION = "0.1.0";

let known: Provenance | undefined;

/** Found once in a process. A checkout asks `git`. */
export function provenance(): Provenance {
  known ??= read();
  return known;
}

function read(): Provenance {
  return { version: VERSION, commit: checkout(fileURLToPath(new URL("..", import.meta.url))) ?? "unknown" };
}

/** `undefined` outside a checkout of this repository, so that a project which installed the package does not lend it its commit. */
function checkout(folder: string): string | undefined {
  if (folder.includes("node_modules")) return undefined;
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 2 ** 28,
    });
  try {
    const commit = git("rev-parse", "--short=12", "HEAD").trim();
    const changed = git("diff", "HEAD", "--", "../optimizer/src", "../bench/src", "../plan/src");
    return changed === "" ? commit : `${commit}+${createHash("sha256").update(changed).digest("hex").slice(0, 8)}`;
  } catch {
    return undefined;
  }
}
