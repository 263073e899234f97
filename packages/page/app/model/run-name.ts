interface Named {
  readonly title: string;
  /** Of the plan, which is its title where it has neither a title nor a goal: mostly a random one. */
  readonly plan_id: string;
  readonly run_id: string;
}

/** What a run is called: the title of its plan, else its own id, which somebody may have given it. */
export function runName({ title, plan_id, run_id }: Named): string {
  return title === "" || title === plan_id ? run_id : title;
}
