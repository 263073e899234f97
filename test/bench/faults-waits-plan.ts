import { TaskData } from "@planloom/plan";

export const waitsRunId = "waits";
/** Calls at once: what a kill may cut off. */
export const waitsConcurrency = 8;
/** When the virtual clock of the first process begins. */
export const waitsEpoch = Date.parse("2026-11-23T08:59:30Z");
export const pollsNeeded = 3;

/** Each is due every minute for half an hour, and then not for a year. */
export const scheduleCron = "0-29 9 23 11 *";
export const scheduleTimes = 30;
export const faultSchedules = [
  { id: "beside", overlap: "allow", catchUp: "all" },
  { id: "alone", overlap: "skip", catchUp: "all" },
  { id: "last", overlap: "skip", catchUp: "last" },
] as const;

/** A timer waits for up to ten minutes, each for another while. */
function timerMs(index: number, elements: number): number {
  return Math.round((((index * 7) % elements) * 600_000) / elements);
}

const work = (task_id: string, id: string, data: string) => ({
  task_id,
  execution_type: "tool" as const,
  tool_id: "work",
  arguments: { id, data },
});

/** Three lists of so many elements, which wait for a signal each, for a time each, and for a tool to say that it is ready. */
export function waitsPlan(elements: number): TaskData {
  const numbers = Array.from({ length: elements }, (_, index) => index);
  return TaskData.parse({
    task_id: "waits",
    variables: { list: numbers, times: numbers.map((index) => ({ index, ms: timerMs(index, elements) })) },
    planned_tasks: [
      {
        task_id: "signals",
        for_each: {
          items: "${list}",
          as: "number",
          concurrency: elements,
          result: "book",
          tasks: [
            { task_id: "paid", wait: { event: "paid", key: "${number}" } },
            work("book", "s${number}", "${paid.amount}"),
          ],
        },
      },
      {
        task_id: "timers",
        for_each: {
          items: "${times}",
          as: "timer",
          concurrency: elements,
          result: "ring",
          tasks: [
            { task_id: "pause", wait: { for_ms: "${timer.ms}" } },
            work("ring", "t${timer.index}", "${pause.waited_until}"),
          ],
        },
      },
      {
        ...work("polls", "p${number}", "poll"),
        for_each: { items: "${list}", as: "number", concurrency: elements },
        retry_until: { condition: `polls >= ${pollsNeeded}`, interval_ms: 45_000 },
      },
    ],
  });
}

/** What a schedule runs: a call, a wait of twenty seconds, and a call. */
export function scheduledPlan(): TaskData {
  return TaskData.parse({
    task_id: "scheduled",
    planned_tasks: [
      work("first", "first", "begun"),
      { task_id: "pause", wait: { for_ms: 20_000 }, dependencies: ["first"] },
      work("second", "second", "${pause.waited_until}"),
    ],
  });
}
