import { dateAndClock } from "../format.ts";
import type { PageState } from "../state.ts";
import { ListPage } from "./list-page.tsx";
import { usePages } from "./use-pages.ts";

const words = { ready: "ready to run", draft: "lacks something", unreadable: "cannot be read" } as const;
const colours = { ready: "completed", draft: "waiting_approval", unreadable: "failed" } as const;
const planStatuses = (["ready", "draft"] as const).map((status) => ({ status, label: words[status] }));
const columns = [{ name: "Plan" }, { name: "Status" }, { name: "Tasks", isNumber: true }, { name: "Saved" }];

/** The plans that are saved on the server, newest first. */
export function PlanList({ state }: { readonly state: PageState }) {
  const pages = usePages(state, async (filter) => {
    const { plans, next } = await state.source.server!.listPlans(filter);
    return { rows: plans, next };
  });
  const empty = "No plans are saved yet. Say above what is to be done.";
  return (
    <ListPage state={state} of="plans" statuses={planStatuses} pages={pages} columns={columns} empty={empty}>
      {pages.rows.value?.map((plan) => (
        <tr key={plan.plan_id}>
          <td>
            <a href={`#/plans/${encodeURIComponent(plan.plan_id)}`}>{plan.title === "" ? plan.plan_id : plan.title}</a>
          </td>
          <td>
            <span class={`status ${colours[plan.status]}`}>{words[plan.status]}</span>
          </td>
          <td class="number">{plan.tasks.toLocaleString("en")}</td>
          <td>{dateAndClock(plan.saved_at)}</td>
        </tr>
      ))}
    </ListPage>
  );
}
