import { join } from "node:path";
import type { PlanloomOptions, PlanStore, SqliteJournal } from "planloom";
import { makeOwnFolder } from "./own-folder.ts";
import type { ServerPackage } from "./server-package.ts";
import type { Session } from "./session.ts";
import type { ServeToken } from "./tokens-file.ts";

/** What a folder holds of one tenant, or of the server itself. */
export interface ServeHome {
  readonly journal: SqliteJournal;
  readonly plans: PlanStore;
  readonly store: ReturnType<ServerPackage["sqliteStore"]>;
}

/** Opens a home; its folder is made where there is none. @throws CliError CONFIG; RuntimeError JOURNAL_*; ServerError STORE */
export async function openHome(folder: string, server: ServerPackage): Promise<ServeHome> {
  const { folderPlans, SqliteJournal } = await import("planloom");
  await makeOwnFolder(folder, "Set PLANLOOM_HOME, or `home` of the token, to a folder that can be written.");
  return {
    journal: await SqliteJournal.open(join(folder, "journal.sqlite"), { events: true }),
    plans: folderPlans(join(folder, "plans")),
    store: server.sqliteStore(join(folder, "server.sqlite")),
  };
}

interface Tenant extends Omit<ServeHome, "journal"> {
  readonly planloom: InstanceType<typeof import("planloom")["Planloom"]>;
}

/**
 * The tokens with a tenant for each home: an instance of its own, on the connections to servers that the session has.
 * @param onOpen is given each home that was opened, to be closed at the end
 */
export async function tenantsOf(
  listed: readonly ServeToken[],
  session: Session,
  server: ServerPackage,
  onOpen: (home: ServeHome) => void,
) {
  const { Planloom } = await import("planloom");
  const homes = new Map<string, ServeHome>();
  const tenants: Record<string, Tenant> = {};
  const tokens: { name: string; token: string; scopes?: ServeToken["scopes"] & {}; tenant?: string }[] = [];
  for (const { home: folder, tools, ...token } of listed) {
    if (folder === undefined) {
      tokens.push(token);
      continue;
    }
    const home = homes.get(folder) ?? (await openHome(folder, server));
    if (!homes.has(folder)) onOpen(home);
    homes.set(folder, home);
    tenants[folder] ??= {
      planloom: new Planloom({ ...onlyTools(session.wired, tools, server), journal: home.journal }),
      plans: home.plans,
      store: home.store,
    };
    tokens.push({ ...token, tenant: folder });
  }
  return { tokens, tenants };
}

/** The options with the named resources alone. Models are left as they are: the list names tools, agents and workflows. */
function onlyTools(
  options: PlanloomOptions,
  ids: readonly string[] | undefined,
  { onlyResources }: ServerPackage,
): PlanloomOptions {
  if (ids === undefined) return options;
  const allowed = new Set(ids);
  const isAllowed = ({ resource }: { readonly resource: { readonly id: string } }) => allowed.has(resource.id);
  const { tools, agents, workflows, executors } = options;
  return {
    ...options,
    ...(tools !== undefined && { tools: tools.filter(isAllowed) }),
    ...(agents !== undefined && { agents: agents.filter(isAllowed) }),
    ...(workflows !== undefined && { workflows: workflows.filter(isAllowed) }),
    ...(executors !== undefined && {
      executors: executors.map((executor) => (executor.kind === "llm" ? executor : onlyResources(executor, ids))),
    }),
  };
}
