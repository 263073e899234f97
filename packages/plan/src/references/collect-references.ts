import { PlanError } from "../errors.ts";
import { isRecord } from "../json.ts";
import { formatPath } from "./format-reference.ts";
import { parseReference } from "./parse-reference.ts";
import { parseTemplate } from "./parse-template.ts";
import { maxArgumentDepth, type PathSegment, type Reference } from "./reference.ts";
import { referenceObjectText, textObjectTemplate } from "./reference-object.ts";

export interface FoundReference {
  readonly reference: Reference;
  /** Path to the reference, such as `filter.ids[0]`; empty for the value itself. */
  readonly argument_path: string;
  /** The reference is all of its string, or a `{"$ref": …}`, so the value keeps its type; else it is rendered as text. */
  readonly whole: boolean;
}

/** A text that holds no readable reference, or arguments too deep to search. */
export interface MalformedReference {
  readonly argument_path: string;
  readonly text: string;
  /** Offset in `text`. */
  readonly at: number;
  readonly message: string;
}

/** Every reference of a value in document order, and every malformed text. Never throws; linear in the value. */
export function scanReferences(value: unknown): { references: FoundReference[]; malformed: MalformedReference[] } {
  const references: FoundReference[] = [];
  const malformed: MalformedReference[] = [];
  const path: PathSegment[] = [];

  const attempt = (text: string, read: () => void): void => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      const at = typeof error.details.at === "number" ? error.details.at : 0;
      malformed.push({ argument_path: formatPath(path), text, at, message: error.message });
    }
  };
  const addTemplate = (text: string, keepsType: boolean): void => {
    if (!text.includes("${")) return;
    attempt(text, () => {
      const { parts } = parseTemplate(text);
      for (const part of parts) {
        if (typeof part === "string") continue;
        references.push({
          reference: part,
          argument_path: formatPath(path),
          whole: keepsType && parts.length === 1,
        });
      }
    });
  };
  const visit = (current: unknown): void => {
    if (typeof current === "string") {
      addTemplate(current, true);
      return;
    }
    if (typeof current !== "object" || current === null) return;
    if (path.length >= maxArgumentDepth) {
      const message = `Expected arguments nested at most ${maxArgumentDepth} levels deep, got deeper ones (or a cycle).`;
      malformed.push({ argument_path: formatPath(path), text: "", at: 0, message });
      return;
    }
    if (Array.isArray(current)) {
      for (let index = 0; index < current.length; index += 1) {
        path.push({ index });
        visit(current[index]);
        path.pop();
      }
      return;
    }
    const text = referenceObjectText(current);
    if (text !== undefined) {
      attempt(text, () => {
        references.push({ reference: parseReference(text), argument_path: formatPath(path), whole: true });
      });
      return;
    }
    const template = textObjectTemplate(current);
    if (template !== undefined) {
      addTemplate(template, false);
      return;
    }
    if (!isRecord(current)) return;
    for (const key of Object.keys(current)) {
      path.push({ key });
      visit(current[key]);
      path.pop();
    }
  };
  visit(value);
  return { references, malformed };
}

/** Returns every readable reference of a value, in document order; `scanReferences` also reports malformed ones. */
export function collectReferences(value: unknown): FoundReference[] {
  return scanReferences(value).references;
}
