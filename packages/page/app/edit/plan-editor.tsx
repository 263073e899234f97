import { useState } from "preact/hooks";
import type { PageData, PageTask } from "../../src/page-data.ts";
import type { RawPlan } from "../source.ts";
import type { PageState } from "../state.ts";

type Issue = NonNullable<PageData["draft"]>["issues"][number];

const typingPauseMs = 250;

/** The selected task of a plan that is not executed: its arguments, which tool does it, and that it can go. */
export function PlanEditor({ state, task }: { readonly state: PageState; readonly task: PageTask }) {
  const data = state.data.value;
  const { server } = state.source;
  if (data?.draft === undefined || server === undefined) return null;
  const { draft, plan } = data;
  const questions = draft.questions.filter(({ task_id }) => task_id === task.task_id);
  const tool = task.tool_id ?? task.function_id ?? task.agent_id ?? "";
  const others = draft.alternatives[task.task_id] ?? [];
  const answer = (what: { answers?: object; tools?: Readonly<Record<string, string>> }) =>
    state.attempt(async () => {
      await server.answer(plan.id, what);
      await state.open({ kind: "plans", id: plan.id });
    });
  const names = [...new Set([...Object.keys(task.arguments ?? {}), ...questions.map((each) => each.argument_path)])];
  return (
    <section class="editor" aria-label="Change this task">
      {others.length > 0 && (
        <label>
          Tool{" "}
          <select
            value={tool}
            onChange={(event) => void answer({ tools: { [task.task_id]: event.currentTarget.value } })}
          >
            {[tool, ...others.filter((each) => each !== tool)].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      )}
      {names.map((name) => (
        <Argument
          key={`${task.task_id}.${name}`}
          name={name}
          value={task.arguments?.[name]}
          question={questions.find((each) => each.argument_path === name)}
          check={(value, show) =>
            void state.attempt(async () => show(await issuesWith(state, task.task_id, name, value)))
          }
          save={(value) => answer({ answers: { [`${task.task_id}.${name}`]: value } })}
        />
      ))}
      <p class="actions">
        <button type="button" onClick={() => void dropTask(state, task.task_id)}>
          Drop this task
        </button>
      </p>
    </section>
  );
}

interface ArgumentProps {
  readonly name: string;
  readonly value: unknown;
  readonly question: NonNullable<PageData["draft"]>["questions"][number] | undefined;
  /** Judges a value, and shows what is wrong with it. */
  readonly check: (value: unknown, show: (issues: readonly Issue[]) => void) => void;
  readonly save: (value: unknown) => Promise<void>;
}

/** One argument as a text: what reads as JSON is JSON where it was no text before, anything else is the text itself. Judged as it is typed, saved by Enter. */
function Argument({ name, value, question, check, save }: ArgumentProps) {
  const [text, setText] = useState(asText(value));
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [timer, setTimer] = useState(0);
  const isChanged = text !== asText(value);
  const wrong = issues.filter(({ severity }) => severity === "error");
  const id = `argument-${name}`;
  return (
    <form
      class="argument"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && wrong.length === 0) void save(asValue(text, question, value));
      }}
    >
      <label for={id}>
        {name}
        {question !== undefined && <span class="count asked"> missing</span>}
        <span class="muted"> {question?.type}</span>
      </label>
      <input
        id={id}
        value={text}
        list={`${id}-values`}
        aria-invalid={wrong.length > 0}
        aria-describedby={`${id}-issues`}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          clearTimeout(timer);
          setTimer(window.setTimeout(() => check(asValue(next, question, value), setIssues), typingPauseMs));
        }}
      />
      <datalist id={`${id}-values`}>
        {[...(question?.choices ?? []), ...(question?.suggestions ?? [])].map((each) => (
          <option key={asText(each)} value={asText(each)} />
        ))}
      </datalist>
      {isChanged && (
        <button type="submit" class="main" disabled={wrong.length > 0}>
          Save
        </button>
      )}
      <p id={`${id}-issues`} class="error" aria-live="polite">
        {wrong.map(({ message }) => message).join(" ")}
      </p>
      {question !== undefined && question.description !== "" && <p class="muted">{question.description}</p>}
    </form>
  );
}

const asText = (value: unknown) =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** @param before the value until now: what was a text stays one, also where it looks like a number; a reference may stand for anything */
function asValue(text: string, question: ArgumentProps["question"], before: unknown): unknown {
  if (question?.type === "string" || (typeof before === "string" && !before.includes("${"))) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What is wrong with an argument of a task, if it had this value. */
async function issuesWith(state: PageState, taskId: string, name: string, value: unknown): Promise<readonly Issue[]> {
  const { server } = state.source;
  const id = state.data.value?.plan.id;
  if (server === undefined || id === undefined) return [];
  const plan = await server.rawPlan(id);
  const planned_tasks = plan.planned_tasks.map((task) =>
    task.task_id === taskId ? { ...task, arguments: { ...(task.arguments as object), [name]: value } } : task,
  );
  const issues = await server.validate({ ...plan, planned_tasks });
  return issues.filter((issue) => issue.task_id === taskId && (issue.argument_path ?? name).startsWith(name));
}

/** Takes a task out of the plan; what waited for it waits for what it waited for. Validation says what still refers to it. */
export function dropTask(state: PageState, taskId: string): Promise<void> {
  return changePlan(state, ({ planned_tasks, ...plan }) => {
    const before = dependenciesOf(planned_tasks.find(({ task_id }) => task_id === taskId));
    return {
      ...plan,
      planned_tasks: planned_tasks
        .filter(({ task_id }) => task_id !== taskId)
        .map((task) => {
          const dependencies = dependenciesOf(task);
          if (!dependencies.includes(taskId)) return task;
          const kept = dependencies.filter((each) => each !== taskId);
          return { ...task, dependencies: [...new Set([...kept, ...before])] };
        }),
    };
  });
}

function dependenciesOf(task: RawPlan["planned_tasks"][number] | undefined): readonly string[] {
  return (task?.dependencies as readonly string[] | undefined) ?? [];
}

export async function changePlan(state: PageState, change: (plan: RawPlan) => RawPlan): Promise<void> {
  const data = state.data.value;
  const { server } = state.source;
  if (data?.draft === undefined || server === undefined) return;
  const { id } = data.plan;
  const { revision } = data.draft;
  await state.attempt(async () => {
    await server.replace(id, change(await server.rawPlan(id)), revision);
    await state.open({ kind: "plans", id });
  });
}
