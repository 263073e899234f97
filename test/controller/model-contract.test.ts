import { openaiModel } from "@planloom/controller";
import { modelContract } from "../contract/model.ts";

modelContract("openaiModel", {
  modelAt: (baseURL) =>
    openaiModel({
      baseURL,
      model: "m",
      apiKey: "k",
      retryDelayMs: 1,
      environment: {},
      prices: { m: { input: 1, cachedInput: 0.1, output: 10 } },
    }),
});
