import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { fromAiSdk, openaiModel } from "@planloom/controller";
import { endpointContract } from "../contract/endpoint.ts";
import { modelContract } from "../contract/model.ts";
import { anthropicModel, chatModel, geminiModel, responsesModel } from "../contract/model-dialects.ts";
import { responsesDialect } from "../contract/responses-dialect.ts";

const prices = { m: { input: 1, cachedInput: 0.1, output: 10 } };

for (const api of ["chat", "responses"] as const) {
  const own = { api, model: "m", apiKey: "k", retryDelayMs: 1, environment: {}, prices };
  modelContract(`openaiModel, ${api}`, {
    dialect: api === "chat" ? chatModel : responsesModel,
    modelAt: (baseURL, options) => openaiModel({ baseURL, ...own, ...options }),
  });
  endpointContract(`openaiModel, ${api}`, {
    ...(api === "responses" && { dialect: responsesDialect }),
    modelAt: (baseURL) => openaiModel({ baseURL, ...own }),
  });
}

modelContract("fromAiSdk, @ai-sdk/anthropic", {
  dialect: anthropicModel,
  countsThoughts: false,
  modelAt: (baseURL, options) =>
    fromAiSdk(createAnthropic({ baseURL, apiKey: "k" })("m"), { retryDelayMs: 1, prices, ...options }),
});

modelContract("fromAiSdk, @ai-sdk/google", {
  dialect: geminiModel,
  modelAt: (baseURL, options) =>
    fromAiSdk(createGoogleGenerativeAI({ baseURL, apiKey: "k" })("m"), { retryDelayMs: 1, prices, ...options }),
});
