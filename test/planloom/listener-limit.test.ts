import { ListenerLimit } from "planloom/serving";
import { expect, test } from "vitest";

const stream = (body: ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });
/** A stream that goes on until it is asked to end. */
function open() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let hungUp = false;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => {
      hungUp = true;
    },
  });
  return {
    response: stream(body),
    end: () => controller.close(),
    fail: () => controller.error(new Error("broken")),
    hungUp: () => hungUp,
  };
}

test("a stream is listened to until it ends, breaks or its client hangs up; then another may", async () => {
  const limit = new ListenerLimit(1);
  const another = () => limit.answer(async () => Response.json({}));
  const ways = [
    async (answer: Response, { end }: ReturnType<typeof open>) => {
      end();
      await answer.text();
    },
    async (answer: Response, { fail }: ReturnType<typeof open>) => {
      fail();
      await expect(answer.text()).rejects.toThrow("broken");
    },
    async (answer: Response, { hungUp }: ReturnType<typeof open>) => {
      await answer.body?.cancel();
      expect(hungUp()).toBe(true);
    },
  ];
  for (const finish of ways) {
    const opened = open();
    const answer = await limit.answer(async () => opened.response);
    expect(answer?.headers.get("content-type")).toBe("text/event-stream");
    expect(await another()).toBeUndefined();
    await finish(answer!, opened);
    expect((await another())?.status).toBe(200);
  }
});

test("work that fails holds nothing, and what is answered at once is counted while it is made", async () => {
  const limit = new ListenerLimit(1);
  await expect(limit.answer(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  const made = Promise.withResolvers<Response>();
  const first = limit.answer(() => made.promise);
  expect(await limit.answer(async () => Response.json(2))).toBeUndefined();
  made.resolve(Response.json(1));
  expect(await (await first)?.json()).toBe(1);
  expect(await (await limit.answer(async () => Response.json(3)))?.json()).toBe(3);
  expect(limit.refusal).toMatchObject({
    status: 503,
    code: "SERVER_TOO_MANY_LISTENERS",
    headers: { "retry-after": "5" },
  });
});
