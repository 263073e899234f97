import type { PageDraft } from "../../src/page-data.ts";

/** Whether an issue is about an argument that is asked for anyway, so that it need not be said twice. */
export function isAsked(
  { task_id, argument_path }: { readonly task_id?: string | undefined; readonly argument_path?: string | undefined },
  questions: PageDraft["questions"],
): boolean {
  return questions.some((question) => question.task_id === task_id && question.argument_path === argument_path);
}
