import { z } from "zod";

/**
 * An opaque id, 1 to 128 characters. Often chosen by a model and used as a graph key, so never a name that
 * `Object.prototype` owns (`constructor`, `__proto__`, …).
 */
export const TaskId = z
  .string()
  .min(1)
  .max(128)
  .refine((id) => !(id in Object.prototype), { message: "must not be a name that Object.prototype owns" });
