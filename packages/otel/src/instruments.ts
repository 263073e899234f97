import { type Counter, createNoopMeter, type Histogram, metrics, type UpDownCounter } from "@opentelemetry/api";
import { names } from "./names.ts";

/** What is counted and measured. */
export interface Instruments {
  readonly operationDuration: Histogram;
  readonly tokenUsage: Histogram;
  readonly toolDuration: Histogram;
  readonly tasks: Counter;
  readonly taskDuration: Histogram;
  readonly queueDuration: Histogram;
  readonly runs: Counter;
  readonly runDuration: Histogram;
  readonly activeRuns: UpDownCounter;
  readonly cost: Counter;
}

/** Seconds, as the GenAI conventions advise for calls of models. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Seconds of what may be much shorter or much longer. */
const widerSeconds = [0.001, 0.005, ...seconds, 300, 1_800, 7_200];
const tokens = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

type ReadBudgets = () => readonly {
  readonly resource?: string;
  readonly unit: string;
  readonly left: number;
}[];

/** Of the instances that are open. */
const budgets = new Set<ReadBudgets>();

/** Budgets are read whenever figures are exported, until the function that is returned is called. */
export function watchBudgets(read: ReadBudgets): () => void {
  budgets.add(read);
  instruments();
  return () => budgets.delete(read);
}

let made: { readonly provider: unknown; readonly instruments: Instruments | undefined } | undefined;

/** The instruments of the meter provider that is set now; undefined where none is. (The API has no proxies for meters.) */
export function instruments(): Instruments | undefined {
  const provider = metrics.getMeterProvider();
  if (made?.provider !== provider) made = { provider, instruments: makeInstruments() };
  return made.instruments;
}

function makeInstruments(): Instruments | undefined {
  const meter = metrics.getMeter(names.scope);
  const { metric } = names;
  const tasks = meter.createCounter(metric.tasks, { unit: "{task}", description: "Tasks that ended, by status." });
  if (tasks.constructor === createNoopMeter().createCounter("none").constructor) return undefined;
  const left = meter.createObservableGauge(metric.budgetLeft, {
    unit: "1",
    description: "What is left of the budgets of all runs together, in calls, tokens, cost and seconds.",
  });
  left.addCallback((result) => {
    for (const read of budgets) {
      for (const { resource, unit, left: amount } of read())
        result.observe(amount, {
          [names.attribute.unit]: unit,
          ...(resource !== undefined && { [names.attribute.resource]: resource }),
        });
    }
  });
  const duration = (name: string, description: string, boundaries: number[]) =>
    meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries: boundaries } });
  return {
    tasks,
    operationDuration: duration(metric.operationDuration, "GenAI operation duration.", seconds),
    tokenUsage: meter.createHistogram(metric.tokenUsage, {
      unit: "{token}",
      description: "Number of input and output tokens used.",
      advice: { explicitBucketBoundaries: tokens },
    }),
    toolDuration: duration(metric.toolDuration, "Duration of one call of a tool.", widerSeconds),
    taskDuration: duration(metric.taskDuration, "From a task's first attempt to its end.", widerSeconds),
    queueDuration: duration(
      metric.queueDuration,
      "From when nothing that a task depends on was missing any more to its first attempt: Stage 2, approvals, rates and slots.",
      widerSeconds,
    ),
    runs: meter.createCounter(metric.runs, { unit: "{run}", description: "Sessions of runs that ended, by reason." }),
    runDuration: duration(metric.runDuration, "Duration of one session of a run.", widerSeconds),
    activeRuns: meter.createUpDownCounter(metric.activeRuns, { unit: "{run}", description: "Runs in progress." }),
    cost: meter.createCounter(metric.cost, {
      unit: "1",
      description: "Cost of calls of models, in the unit of the price table.",
    }),
  };
}
