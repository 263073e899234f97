import { collectPageData, pageHtml, planPageData } from "@planloom/page";
import type { HandlersOf } from "./handler.ts";
import type { pageEndpoints } from "./page-endpoints.ts";

export const pageHandlers: HandlersOf<Exclude<keyof typeof pageEndpoints, "page">> = {
  async getPlanPage({ workspace, params }) {
    return { ...planPageData(await workspace.plans.load(params.plan_id), workspace.planloom) };
  },

  async getRunPage({ workspace, params }) {
    return { ...(await collectPageData(params.run_id, { journal: await workspace.journal() })) };
  },
};

/** The page itself. Its paths are beside its own, so it must be asked for with a `/` at the end. */
export async function servePage(path: string): Promise<Response> {
  if (!path.endsWith("/")) return new Response(null, { status: 308, headers: { location: `${path}/` } });
  return new Response(await pageHtml(), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      // The page has its whole policy in itself; what only a header can say is said here.
      "content-security-policy": "frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
    },
  });
}
