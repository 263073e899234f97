import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Reloader } from "../../packages/page/app/model/reloader.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Answers come when the test says so. */
function held() {
  const asked: PromiseWithResolvers<string>[] = [];
  const shown: string[] = [];
  const failures: unknown[] = [];
  const reloader = new Reloader<string>({
    load: () => {
      asked.push(Promise.withResolvers<string>());
      return asked.at(-1)!.promise;
    },
    show: (data) => shown.push(data),
    fail: (error) => failures.push(error),
  });
  return { reloader, asked, shown, failures };
}
const never = new AbortController().signal;

test("an answer that was overtaken by a later one is not shown", async () => {
  const { reloader, asked, shown } = held();
  const both = [reloader.reload(never), reloader.reload(never)];
  asked[1]!.resolve("completed");
  await both[1];
  asked[0]!.resolve("waiting");
  await both[0];
  expect(shown).toEqual(["completed"]);
});

test("answers in their order are all shown", async () => {
  const { reloader, asked, shown } = held();
  const both = [reloader.reload(never), reloader.reload(never)];
  asked[0]!.resolve("waiting");
  await both[0];
  asked[1]!.resolve("completed");
  await both[1];
  expect(shown).toEqual(["waiting", "completed"]);
});

test("what must not be missed is asked for again where that fails, and nothing after the page has gone on", async () => {
  const { reloader, asked, shown, failures } = held();
  const stop = new AbortController();
  const loading = reloader.reload(stop.signal, 5);
  asked[0]!.reject(new Error("too many requests"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(failures).toHaveLength(1);
  asked[1]!.reject(new Error("too many requests"));
  await vi.advanceTimersByTimeAsync(0);
  stop.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  await loading;
  expect([asked.length, shown]).toEqual([2, []]);
});
