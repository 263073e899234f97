import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

export interface Comment {
  /** Such as `packages/plan/src/issue.ts:12`. */
  readonly place: string;
  /** Without the names in backticks, which are code. */
  readonly text: string;
  /** Whether it is a doc comment with another one directly above it, so that one of them is above something else than it is about. */
  readonly isSecond: boolean;
}

/** The comments in the sources of all packages. */
export function comments(repository: string): Comment[] {
  return readdirSync(join(repository, "packages")).flatMap((name) => {
    const folder = join("packages", name, "src");
    const files = readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    return files.flatMap((file) => commentsOf(repository, join(folder, file)));
  });
}

function commentsOf(repository: string, place: string): Comment[] {
  const source = readFileSync(join(repository, place), "utf8");
  const isDoc = (value: string | undefined) => value?.startsWith("*") === true;
  return parseSync(place, source).comments.map(({ start, value }, at, all) => {
    const above = all[at - 1];
    return {
      place: `${place}:${source.slice(0, start).split("\n").length}`,
      text: value
        .replace(/\n\s*\*/g, "")
        .replace(/`[^`]*`/g, "``")
        .trim(),
      isSecond: isDoc(value) && isDoc(above?.value) && /^[ \t]*\n?[ \t]*$/.test(source.slice(above?.end, start)),
    };
  });
}
