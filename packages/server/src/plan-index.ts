import type { PlanStore, StoredPlan, TaskData } from "planloom";
import { planTitle } from "planloom/plan";

/** A saved plan in a list. */
export interface PlanEntry {
  readonly plan_id: string;
  readonly title: string;
  readonly status: "ready" | "draft" | "unreadable";
  readonly tasks: number;
  readonly savedAt: number;
}

interface Known {
  readonly savedAt: number;
  readonly entry: PlanEntry;
  /** What a search looks at, in small letters. */
  readonly text: string;
}

/** What lists show of saved plans. Each plan is read again only where it was saved again. */
export class PlanIndex {
  readonly #plans: PlanStore;
  readonly #known = new Map<string, Known>();

  constructor(plans: PlanStore) {
    this.#plans = plans;
  }

  /** All that fit, newest first. */
  async list(filter: { readonly status?: string | undefined; readonly q?: string | undefined }): Promise<PlanEntry[]> {
    const stored = await this.#plans.list();
    const ids = new Set(stored.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    const wanted = filter.q?.toLowerCase();
    const entries: PlanEntry[] = [];
    for (const plan of stored) {
      const { entry, text } = await this.#read(plan);
      if (filter.status !== undefined && entry.status !== filter.status) continue;
      if (wanted !== undefined && !text.includes(wanted)) continue;
      entries.push(entry);
    }
    return entries;
  }

  async #read({ id, savedAt }: StoredPlan): Promise<Known> {
    const known = this.#known.get(id);
    if (known?.savedAt === savedAt) return known;
    // A file that cannot be read as a plan is listed, too, so that a person can see and delete it.
    const plan = await this.#plans.load(id).catch(() => undefined);
    const read = { savedAt, entry: entryOf(id, savedAt, plan), text: plan === undefined ? "" : textOf(plan) };
    this.#known.set(id, read);
    return read;
  }
}

function entryOf(plan_id: string, savedAt: number, plan: TaskData | undefined): PlanEntry {
  if (plan === undefined) return { plan_id, title: plan_id, status: "unreadable", tasks: 0, savedAt };
  const questions = plan.metadata?.questions;
  const isDraft = Array.isArray(questions) && questions.length > 0;
  const tasks = plan.planned_tasks.length;
  return { plan_id, title: planTitle(plan), status: isDraft ? "draft" : "ready", tasks, savedAt };
}

function textOf(plan: TaskData): string {
  return `${plan.task_id}\n${planTitle(plan)}\n${JSON.stringify(plan.original_job_data ?? {})}`.toLowerCase();
}
