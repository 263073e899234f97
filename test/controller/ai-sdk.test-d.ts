import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import type { AiSdkLanguageModel } from "@planloom/controller";
import { expectTypeOf, test } from "vitest";

test("language models of each specification are taken as they are", () => {
  expectTypeOf<LanguageModelV2>().toExtend<AiSdkLanguageModel>();
  expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>();
  expectTypeOf<LanguageModelV4>().toExtend<AiSdkLanguageModel>();
});
