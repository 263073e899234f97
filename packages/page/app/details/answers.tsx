import type { PageRun } from "../../src/page-data.ts";
import { dateAndClock } from "../format.ts";

const shown = 20;

/** Who answered what was asked about a task, and when. */
export function Answers({ answers }: { readonly answers: PageRun["answers"] }) {
  if (answers.length === 0) return null;
  return (
    <details class="section" open>
      <summary>
        <h3>Answers of people</h3>
      </summary>
      <ul class="plain">
        {answers.slice(0, shown).map((each) => (
          <li key={`${each.task_id}/${each.content_hash}/${each.answered_at}`}>
            <code>{each.task_id}</code> {wordOf(each)}
            {each.by !== undefined && ` by ${each.by}`}
            <span class="muted"> · {dateAndClock(each.answered_at)}</span>
            {each.note !== undefined && <p>{each.note}</p>}
          </li>
        ))}
        {answers.length > shown && <li class="muted">and {(answers.length - shown).toLocaleString("en")} more</li>}
      </ul>
    </details>
  );
}

/** An answer in a word or two. */
export function wordOf({
  answer,
  input,
  output,
}: Pick<PageRun["answers"][number], "answer" | "input" | "output">): string {
  if (answer === "deny") return "denied";
  if (output !== undefined) return "taken as carried out";
  return input === undefined ? "approved" : "approved with another input";
}
