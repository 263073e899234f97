import type { controllerEndpoints } from "./controller-endpoints.ts";
import type { HandlersOf } from "./handler.ts";

/** The two questions of the Agents Planning System. Bodies that it cannot read are refused in its own form. */
export const controllerHandlers: HandlersOf<keyof typeof controllerEndpoints> = {
  async processPhase1({ workspace, body, signal }) {
    const { status, body: answer } = await workspace.controller.answer(1, body, { signal });
    return Response.json(answer, { status });
  },
  async processPhase2({ workspace, body, signal }) {
    const { status, body: answer } = await workspace.controller.answer(2, body, { signal });
    return Response.json(answer, { status });
  },
};
