import { PlanError, PlanErrorCode } from "../errors.ts";
import { formatPath } from "../references/format-reference.ts";
import { maxArgumentDepth, type PathSegment } from "../references/reference.ts";

/** Lists within lists lead to a value through fewer levels than these. */
const maxDocumentDepth = maxArgumentDepth + 100;

/**
 * Refuses what a plan document from outside must not hold: the key `__proto__`, and nesting deeper than any value may be
 * (a cycle, which YAML's aliases can make, included). Linear.
 * @throws PlanError INVALID with the place in `details.issues`.
 */
export function checkDocument(value: unknown): void {
  const path: PathSegment[] = [];
  const visit = (current: unknown): void => {
    if (typeof current !== "object" || current === null) return;
    if (path.length >= maxDocumentDepth) {
      throw refused(path.slice(0, 5), `nested deeper than ${maxDocumentDepth} levels, or a cycle`);
    }
    if (Array.isArray(current)) {
      for (let index = 0; index < current.length; index += 1) {
        path.push({ index });
        visit(current[index]);
        path.pop();
      }
      return;
    }
    for (const key of Object.keys(current)) {
      path.push({ key });
      if (key === "__proto__") throw refused(path, "this key is a prototype's name; use another");
      visit((current as Record<string, unknown>)[key]);
      path.pop();
    }
  };
  visit(value);
}

function refused(path: readonly PathSegment[], message: string): PlanError {
  const at = formatPath(path);
  return new PlanError(
    PlanErrorCode.INVALID,
    `Expected a plan document, got one that is refused at ${at}: ${message}.`,
    {
      details: { issues: [{ path: at, message }] },
    },
  );
}
