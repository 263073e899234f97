import type { PlanloomEvent } from "planloom";
import type { TextSink } from "../io.ts";
import { plainLine, type Style } from "../terminal/style.ts";

/** A model may think for minutes; rules are done before there is anything to say, in milliseconds. */
const quietMs = 1_000;
/** Between two drawings, in milliseconds. */
const redrawMs = 1_000;
const clearLine = "\r\u001B[2K";

type PlanAttempt = Extract<PlanloomEvent, { type: "plan-attempt" }>;

export interface PlanningProgress {
  onAttempt(event: PlanAttempt): void;
  /** Clears the line. */
  stop(): void;
}

/** A line on a terminal that says for how long a goal has been planned and what was wrong with the last attempt; elsewhere nothing. */
export function planningProgress(sink: TextSink, style: Style, controller: string): PlanningProgress | undefined {
  if (!style.live) return undefined;
  const started = performance.now();
  let isDrawn = false;
  let again = "";
  const draw = () => {
    const spent = performance.now() - started;
    if (spent < quietMs) return;
    isDrawn = true;
    const line = plainLine(`Planning with ${controller} · ${Math.round(spent / 1_000)} s${again}`);
    sink.write(`${clearLine}${style.paint("dim", line.slice(0, style.width - 1))}`);
  };
  const timer = setInterval(draw, redrawMs);
  timer.unref();
  return {
    onAttempt({ attempt, maxAttempts, issues }) {
      const wrong = issues.find(({ severity }) => severity === "error");
      again =
        wrong === undefined || attempt >= maxAttempts
          ? ""
          : ` · attempt ${attempt + 1} of ${maxAttempts}, since: ${wrong.message}`;
    },
    stop() {
      clearInterval(timer);
      if (isDrawn) sink.write(clearLine);
    },
  };
}
