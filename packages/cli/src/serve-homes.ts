import { hash } from "node:crypto";
import { join } from "node:path";
import type { PlanloomOptions, PlanStore } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";
import { type CliJournal, openJournal } from "./journals.ts";
import { makeOwnFolder } from "./own-folder.ts";
import type { ServerPackage } from "./server-package.ts";
import type { Session } from "./session.ts";
import type { ServeToken } from "./tokens-file.ts";

/** What a folder holds of one tenant, or of the server itself. */
export interface ServeHome {
  readonly journal: CliJournal;
  readonly plans: PlanStore;
  readonly store: ReturnType<ServerPackage["sqliteStore"]>;
}

/**
 * Opens a home; its folder is made where there is none.
 * @param schema of its runs, where they are in a database. @default that of the command line's own runs
 * @throws CliError CONFIG; RuntimeError JOURNAL_*; ServerError STORE
 */
export async function openHome(folder: string, server: ServerPackage, io: CliIo, schema?: string): Promise<ServeHome> {
  const { folderPlans } = await import("planloom");
  await makeOwnFolder(folder, "Set PLANLOOM_HOME, or `home` of the token, to a folder that can be written.");
  return {
    journal: await openJournal(io, {
      events: true,
      file: join(folder, "journal.sqlite"),
      ...(schema !== undefined && { schema }),
    }),
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
  io: CliIo,
  onOpen: (home: ServeHome) => void,
) {
  const { Planloom } = await import("planloom");
  const homes = new Map<string, ServeHome>();
  const tenants: Record<string, Tenant> = {};
  const tokens: { name: string; token: string; scopes?: ServeToken["scopes"] & {}; tenant?: string }[] = [];
  for (const { home: folder, tools, secrets, ...token } of listed) {
    if (folder === undefined) {
      tokens.push(token);
      continue;
    }
    const home = homes.get(folder) ?? (await openHome(folder, server, io, schemaOf(folder)));
    if (!homes.has(folder)) onOpen(home);
    homes.set(folder, home);
    tenants[folder] ??= {
      planloom: new Planloom({
        ...onlyTools(session.wired, tools, server),
        secrets: onlySecrets(session.wired.secrets, secrets, token.name),
        journal: home.journal,
      }),
      plans: home.plans,
      store: home.store,
    };
    tokens.push({ ...token, tenant: folder });
  }
  return { tokens, tenants };
}

/** The schema that the runs of a tenant are in, where they are in a database: as its folder, of its own. */
function schemaOf(folder: string): string {
  return `planloom_${hash("sha256", folder).slice(0, 16)}`;
}

/** The secrets that a tenant's plans may name: none but those that its token lists, since a plan could have a tool send them anywhere. @throws CliError CONFIG */
function onlySecrets(
  given: PlanloomOptions["secrets"] = {},
  names: readonly string[] = [],
  token: string,
): NonNullable<PlanloomOptions["secrets"]> {
  const missing = names.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) {
    throw new CliError(
      CliErrorCode.CONFIG,
      `The token "${token}" lists the secret ${missing}, which the server has not.`,
      {
        hint: `Start it with --secret ${missing}.`,
        details: { token, secret: missing },
      },
    );
  }
  return Object.fromEntries(names.map((name) => [name, given[name]!]));
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
