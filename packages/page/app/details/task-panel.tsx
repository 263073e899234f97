import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PageData, PageRun, PageTask } from "../../src/page-data.ts";
import { PlanEditor } from "../edit/plan-editor.tsx";
import { bytes, clock, count, duration } from "../format.ts";
import { neighbours } from "../layout/edges.ts";
import { isAboutTask } from "../model/is-about-task.ts";
import { statuses, statusWords } from "../model/status.ts";
import { taskTitle } from "../model/task-title.ts";
import { StatusMark } from "../shell/status-mark.tsx";
import type { PageState } from "../state.ts";
import { Answers } from "./answers.tsx";
import { JsonView } from "./json-view.tsx";
import { Questions } from "./questions.tsx";
import { SignalForm } from "./signal-form.tsx";

/** All that is known of the selected task: what it was called with and where that is from, what it gave, its attempts and model calls. */
export function TaskPanel({ state }: { readonly state: PageState }) {
  void state.version.value;
  const data = state.data.value;
  const at = state.selected.value;
  const task = data?.plan.tasks[at];
  if (data === undefined || task === undefined) return null;
  const { run } = data;
  const status = statuses[state.statusNumbers[at] ?? 0]!;
  const record = run?.records.find(({ task_id }) => task_id === task.task_id);
  const current = run?.states[at];
  return (
    <aside class="panel" aria-label="Task">
      <header>
        <h2>{taskTitle(task, current)}</h2>
        <button type="button" class="close" aria-label="Close" onClick={() => state.select(-1)}>
          ✕
        </button>
      </header>
      <p class="facts">
        <StatusMark status={status} /> {statusWords[status]}
        {record !== undefined && record.attempts > 0 && ` · ${duration(record.duration_ms)}`}
        {record !== undefined && record.attempts > 1 && ` · ${count(record.attempts, "attempt")}`}
      </p>
      {current?.elements !== undefined && (
        <Elements elements={current.elements} isOver={record !== undefined && !record.status.startsWith("waiting")} />
      )}
      <p class="facts muted">
        <code>{task.task_id}</code>
        {(current?.uid ?? record?.uid ?? task.tool_id) && ` · ${current?.uid ?? record?.uid ?? task.tool_id}`}
        {task.execution_type !== undefined && ` · ${task.execution_type}`}
      </p>
      {task.description !== undefined && <p>{task.description}</p>}
      {state.source.server !== undefined && <Questions state={state} taskId={task.task_id} />}
      {run !== undefined && <Answers answers={run.answers.filter((each) => isAboutTask(each.task_id, task.task_id))} />}
      {run === undefined && <PlanEditor state={state} task={task} />}
      {current?.waits !== undefined && (
        <Section title="Waits for">
          <JsonView value={current.waits} />
        </Section>
      )}
      {state.source.server !== undefined &&
        current?.waits?.map((wait) => <SignalForm key={wait.id} wait={wait} state={state} />)}
      {record !== undefined && <Outcome state={state} record={record} />}
      {task.arguments !== undefined && <Arguments task={task} state={state} />}
      <Flow task={task} />
      <Links data={data} state={state} at={at} />
      <History state={state} at={at} run={run} record={record} taskId={task.task_id} />
      {task.thought !== undefined && (
        <Section title="Why" isOpen={false}>
          <p>{task.thought}</p>
        </Section>
      )}
      <Section title="As the plan has it" isOpen={false}>
        <JsonView value={task} />
      </Section>
      {state.source.server !== undefined && run !== undefined && (
        <p class="actions">
          <button type="button" onClick={() => void state.act({ kind: "fork", fromTask: task.task_id })}>
            Run again from here
          </button>
        </p>
      )}
    </aside>
  );
}

type TaskRecord = PageRun["records"][number];

/** How the task ended, and what it was called with. */
function Outcome({ state, record }: { readonly state: PageState; readonly record: TaskRecord }) {
  return (
    <>
      {record.error !== undefined && (
        <Section title="Error">
          <LongText text={record.error.message} />
          <p class="muted">
            <code>{record.error.code}</code>
          </p>
          {record.error.details !== undefined && <JsonView value={record.error.details} />}
        </Section>
      )}
      {record.output !== undefined && (
        <Section title="Output">
          <JsonView value={record.output} />
        </Section>
      )}
      {record.output_bytes !== undefined && (
        <LargeOutput state={state} taskId={record.task_id} size={record.output_bytes} />
      )}
      {record.input !== undefined && (
        <Section title="Called with">
          <JsonView value={record.input} />
        </Section>
      )}
    </>
  );
}

interface HistoryProps {
  readonly state: PageState;
  /** Number of the task. */
  readonly at: number;
  readonly taskId: string;
  readonly run: PageRun | undefined;
  readonly record: TaskRecord | undefined;
}

/** Its attempts and model calls, and what they used. */
function History({ state, at, taskId, run, record }: HistoryProps) {
  const attempts = state.history.attempts.filter((each) => each.task === at);
  const calls = run?.calls.filter(({ path }) => path[0] === taskId) ?? [];
  return (
    <>
      {attempts.length > 0 && (
        <Section title="Attempts" isOpen={attempts.length > 1}>
          <ol class="plain">
            {attempts.map((each) => (
              <li key={each.from}>
                <StatusMark status={statuses[each.status]!} /> {clock(each.from)} ·{" "}
                {each.to === undefined ? "under way" : duration(each.to - each.from)}
              </li>
            ))}
          </ol>
        </Section>
      )}
      {calls.length > 0 && (
        <Section title={`Model calls (${calls.length})`} isOpen={false}>
          {calls.map((call) => (
            <Call key={`${call.ended_at}/${call.purpose}`} call={call} />
          ))}
        </Section>
      )}
      {record?.usage !== undefined && record.usage.tokens + record.usage.cost > 0 && (
        <Section title="Used">
          <p>
            {count(record.usage.calls, "call")} · {record.usage.tokens.toLocaleString("en")} tokens
            {record.usage.cost > 0 && ` · cost ${record.usage.cost.toPrecision(3)}`}
          </p>
        </Section>
      )}
    </>
  );
}

/** How many elements of a list have ended, and how; their number is known at the latest when the task has ended. */
function Elements({ elements, isOver }: { readonly elements: ElementCounts; readonly isOver: boolean }) {
  const {
    completed = 0,
    failed = 0,
    skipped = 0,
    total = isOver ? completed + failed + skipped : undefined,
  } = elements;
  const parts = [
    `${completed.toLocaleString("en")} completed`,
    ...(failed > 0 ? [`${failed.toLocaleString("en")} failed`] : []),
    ...(skipped > 0 ? [`${skipped.toLocaleString("en")} skipped`] : []),
  ];
  return (
    <p class="facts">
      {total === undefined ? "Elements" : count(total, "element")}: {parts.join(", ")}
    </p>
  );
}

type ElementCounts = NonNullable<PageRun["states"][number]["elements"]>;

const shownText = 600;
const shownLines = 8;

/** What a tool said when it failed: its beginning, and all of it where one asks for it. */
function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const beginning = text.split("\n").slice(0, shownLines).join("\n").slice(0, shownText);
  const isShort = beginning.length === text.length;
  return (
    <p class="error text">
      {isShort || isWhole ? text : `${beginning}…`}{" "}
      {!isShort && (
        <button type="button" class="link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "less" : `all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </p>
  );
}

function Section(props: { readonly title: string; readonly isOpen?: boolean; readonly children: ComponentChildren }) {
  return (
    <details class="section" open={props.isOpen ?? true}>
      <summary>
        <h3>{props.title}</h3>
      </summary>
      {props.children}
    </details>
  );
}

/** Arguments as the plan has them; what refers to another task leads there. */
function Arguments({ task, state }: { readonly task: PageTask; readonly state: PageState }) {
  return (
    <Section title="Arguments in the plan">
      <dl>
        {Object.entries(task.arguments ?? {}).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {typeof value === "string" ? <WithReferences text={value} state={state} /> : <JsonView value={value} />}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function WithReferences({ text, state }: { readonly text: string; readonly state: PageState }) {
  const parts = text.split(/(\$\{[^}]*\})/);
  return (
    <span class="json-text">
      {parts.map((part, at) => {
        const id = /^\$\{([^.[?}]+)/.exec(part)?.[1] ?? "";
        const task = state.numberOf(id);
        // biome-ignore-start lint/suspicious/noArrayIndexKey: parts of a text that does not change
        if (task === -1) return <span key={at}>{part}</span>;
        return (
          <button key={at} type="button" class="link" onClick={() => state.select(task)}>
            {part}
          </button>
        );
        // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
      })}
    </span>
  );
}

/** Lists and conditions of the task. */
function Flow({ task }: { readonly task: PageTask }) {
  if (task.for_each === undefined && task.when === undefined && task.join === undefined) return null;
  const { for_each, when, join } = task;
  return (
    <Section title="Lists and conditions">
      <JsonView value={{ ...(for_each && { for_each }), ...(when && { when }), ...(join && { join }) }} />
    </Section>
  );
}

function Links({ data, state, at }: { readonly data: PageData; readonly state: PageState; readonly at: number }) {
  const { tasks, edges } = data.plan;
  const rows = [
    ["Needs", neighbours(tasks.length, edges.to, edges.from)],
    ["Needed by", neighbours(tasks.length, edges.from, edges.to)],
  ] as const;
  return (
    <>
      {rows.map(([title, { ptr, items }]) => {
        const found = [...items.subarray(ptr[at]!, ptr[at + 1]!)];
        if (found.length === 0) return null;
        return (
          <Section key={title} title={`${title} (${found.length})`} isOpen={found.length <= 8}>
            <ul class="plain">
              {found.slice(0, 100).map((task) => (
                <li key={task}>
                  <button type="button" class="link" onClick={() => state.select(task)}>
                    <StatusMark status={statuses[state.statusNumbers[task] ?? 0]!} />{" "}
                    {taskTitle(tasks[task]!, data.run?.states[task])}
                  </button>
                </li>
              ))}
            </ul>
          </Section>
        );
      })}
    </>
  );
}

function Call({ call }: { readonly call: NonNullable<PageData["run"]>["calls"][number] }) {
  return (
    <details class="call">
      <summary>
        {call.purpose} · {call.uid ?? "model"} · {duration(call.latency_ms)}
        {call.usage !== undefined && ` · ${JSON.stringify(call.usage)}`}
      </summary>
      {call.error !== undefined && <p class="error">{call.error}</p>}
      <h4>Asked</h4>
      <JsonView value={call.request} />
      <h4>Answered</h4>
      <JsonView value={call.reply} />
    </details>
  );
}

function LargeOutput({
  state,
  taskId,
  size,
}: {
  readonly state: PageState;
  readonly taskId: string;
  readonly size: number;
}) {
  const [loaded, setLoaded] = useState<{ value: unknown } | undefined>(undefined);
  const { server } = state.source;
  const runId = state.data.value?.run?.run_id;
  return (
    <Section title="Output">
      {loaded !== undefined && <JsonView value={loaded.value} />}
      {loaded === undefined && <p>{bytes(size)}, which this page was not given.</p>}
      {loaded === undefined && server !== undefined && runId !== undefined && (
        <button
          type="button"
          onClick={() => void state.attempt(async () => setLoaded({ value: await server.output(runId, taskId) }))}
        >
          Load it
        </button>
      )}
    </Section>
  );
}
