import { isDeepStrictEqual } from "node:util";
import { controllerService } from "@planloom/controller";

/** What a controller does instead of answering, by the words that a case has for it. */
const faults: Readonly<Record<string, () => Promise<never>>> = {
  failed: () => Promise.reject(new Error("failed")),
  "timed out": () => new Promise<never>(() => {}),
};

/** A request without a field, or one whose answer fails or comes too late; both faults, where either is named. */
const adapter: ConformanceAdapter<{ missing?: string; processing?: string }> = async ({ missing = "", processing }) => {
  const answersOf = async (answer: () => Promise<{ success: boolean; data?: unknown }>) => {
    const controller = { name: "case", processPhase1: answer, processPhase2: answer };
    const service = controllerService({ controller, timeoutMs: 20 });
    const data = { task_input_data: "P", n_history_samples: 0, llm_data: {} };
    const { [missing]: _, ...body } = { search_id: "1", phase_1_data: data } as Record<string, unknown>;
    const reply = await service.answer(1, body);
    return { status: reply.status, success: reply.body.success, taskStatus: service.tasks()[0]?.status };
  };
  if (processing === undefined) return answersOf(async () => ({ success: true, data: [] }));
  const named = Object.entries(faults).filter(([words]) => processing.includes(words));
  const [first, ...others] = await Promise.all(named.map(([, fault]) => answersOf(fault)));
  return others.every((other) => isDeepStrictEqual(other, first)) ? first : { differ: [first, ...others] };
};
export default adapter;
