import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Planloom, PlanloomConfig } from "planloom";
import { executionKinds } from "planloom/plan";
import { chooseModel } from "../choose-controller.ts";
import { loadConfig } from "../config-file.ts";
import { ExitCode } from "../exit-code.ts";
import { journalFile, planloomHome } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { journalName } from "../journals.ts";
import { localPrefix } from "../local-models.ts";
import { findLocalServers, sayServer, usualServers } from "../local-servers.ts";
import { openPlanning, openSession, type SessionOptions } from "../session.ts";
import { count, plainLine, styleFor } from "../terminal/style.ts";
import { recentRuns } from "./recorded-runs.ts";

interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly message: string;
}

const MODEL_TIMEOUT_MS = 20_000;

/** `planloom doctor`: tries everything a run needs and says what is missing. Exit 1 if a check failed. */
export async function doctor(options: SessionOptions & { json?: boolean }, io: CliIo): Promise<number> {
  const checks: Check[] = [
    nodeCheck(),
    await homeCheck(io),
    ...(await privacyChecks(io)),
    await journalCheck(io),
    ...(await toolChecks(options, io)),
    await modelCheck(options, io),
    ...(await localServerChecks(io)),
    ...(await controllerCheck(options, io)),
  ];
  const failed = checks.some((check) => check.status === "failed");
  if (options.json === true) {
    writeJson(io, { ok: !failed, checks });
  } else {
    const style = styleFor(io.stdout, io.env);
    const marks = {
      ok: style.paint("green", style.glyph("✓", "+")),
      warning: style.paint("yellow", "!"),
      failed: style.paint("red", style.glyph("✗", "x")),
    };
    const width = Math.max(...checks.map((check) => check.name.length));
    for (const check of checks)
      io.stdout.write(`${marks[check.status]} ${check.name.padEnd(width)}  ${plainLine(check.message)}\n`);
  }
  return failed ? ExitCode.FAILED : ExitCode.DONE;
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fits = major > 22 || (major === 22 && minor >= 18);
  return {
    name: "node",
    status: fits ? "ok" : "failed",
    message: `${process.versions.node}${fits ? "" : ", needs 22.18 or later"}`,
  };
}

async function homeCheck(io: CliIo): Promise<Check> {
  const home = planloomHome(io);
  try {
    const { makeFolder } = await import("planloom/planning");
    await makeFolder(home, { mode: 0o700 });
    await access(home, constants.W_OK);
    return { name: "home", status: "ok", message: `${home} is writable` };
  } catch (error) {
    return {
      name: "home",
      status: "failed",
      message: `${home}: ${(error as Error).message}. Set PLANLOOM_HOME to a writable folder.`,
    };
  }
}

/** Folders and files that others on this machine may read: what was not made here is not changed here, but said. */
async function privacyChecks(io: CliIo): Promise<Check[]> {
  const home = planloomHome(io);
  const files = ["", "-wal", "-shm"].map((end) => journalFile(io) + end);
  const open: string[] = [];
  for (const path of [home, join(home, "plans"), ...files]) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && (found.mode & 0o077) !== 0) open.push(path);
  }
  if (open.length === 0 || process.platform === "win32") return [];
  const names = open.map((path) => relative(home, path) || home).join(", ");
  const message = `others may look into ${names}. Close it to them: chmod -R go= ${JSON.stringify(home)}`;
  return [{ name: "privacy", status: "warning", message }];
}

async function journalCheck(io: CliIo): Promise<Check> {
  try {
    return {
      name: "journal",
      status: "ok",
      message: `${journalName(io)}, ${count((await recentRuns(io, 1_000)).length, "run")}`,
    };
  } catch (error) {
    return { name: "journal", status: "failed", message: (error as Error).message };
  }
}

/** What the configuration says of limits, confirmation and secrets. */
async function settingsOf(planloom: Pick<Planloom, "describe">): Promise<Check[]> {
  const { descriptionLines } = await import("../views/description-view.ts");
  const described = planloom.describe();
  const shown = new Set(["limits", "confirmation", "unknown calls", "secrets"]);
  return descriptionLines(described).flatMap(([name, message]): Check[] => {
    if (!shown.has(name)) return [];
    const asksNobody = name === "confirmation" && described.confirm.goals === "never";
    return [
      {
        name,
        status: asksNobody ? "warning" : "ok",
        message: asksNobody ? `${message}; no call is confirmed by a person` : message,
      },
    ];
  });
}

async function toolChecks(options: SessionOptions, io: CliIo): Promise<Check[]> {
  try {
    await using session = await openSession({ ...options, controller: "embedded" }, io);
    const { resources } = session.planloom;
    const settings = await settingsOf(session.planloom);
    if (resources.length === 0)
      return [
        ...settings,
        { name: "resources", status: "warning", message: "none: give --mcp FILE or a planloom.config.ts" },
      ];
    const kinds = executionKinds.flatMap((kind) => {
      const n = resources.filter((resource) => resource.kind === kind).length;
      return n === 0 ? [] : [count(n, kind)];
    });
    const { validatePlan } = await import("planloom/planning");
    const unreadable = validatePlan({ planned_tasks: [] }, resources)
      .filter(({ code }) => code === "resource_schema")
      .map(({ message }): Check => ({ name: "resources", status: "failed", message }));
    return [
      ...settings,
      ...unreadable,
      {
        name: "resources",
        status: "ok",
        message: `${kinds.join(", ")}: ${resources
          .slice(0, 8)
          .map((resource) => resource.id)
          .join(", ")}${resources.length > 8 ? ", …" : ""}`,
      },
    ];
  } catch (error) {
    return [{ name: "resources", status: "failed", message: (error as Error).message }];
  }
}

/** Servers of models that run on this machine, with the line to type for each. */
async function localServerChecks(io: CliIo): Promise<Check[]> {
  const found = await findLocalServers(usualServers, io.signal);
  return found.map((server): Check => {
    return { name: server.name.toLowerCase().replace(" ", "-"), status: "ok", message: sayServer(server) };
  });
}

async function modelCheck(options: SessionOptions, io: CliIo): Promise<Check> {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, PLANLOOM_MODEL } = io.env;
  // What is wrong with the configuration is said by other checks.
  const { config } = await loadConfig(options.config, io).catch(() => ({ config: {} as PlanloomConfig }));
  const made = options.model === undefined ? config.model : undefined;
  const name = made?.name ?? options.model ?? config.modelOptions?.model ?? PLANLOOM_MODEL;
  const here = made === undefined && (name ? name.startsWith(localPrefix) : true);
  if (here) {
    const local = await localModelCheck(name, options, io);
    if (local !== undefined) return local;
  }
  const isNamed = options.model !== undefined || made !== undefined || config.modelOptions?.model !== undefined;
  if (!isNamed && !apiKey && !baseURL && config.modelOptions?.baseURL === undefined) {
    return {
      name: "model",
      status: "warning",
      message: "none (OPENAI_API_KEY, OPENAI_BASE_URL, PLANLOOM_MODEL): the embedded planner answers",
    };
  }
  if (!name)
    return {
      name: "model",
      status: "warning",
      message: "an endpoint is set but no model: set PLANLOOM_MODEL or give --model",
    };
  try {
    const modelOptions = { timeoutMs: MODEL_TIMEOUT_MS, ...config.modelOptions };
    const asked = made === undefined ? { ...options, model: name } : options;
    const model = await chooseModel(asked, { ...config, modelOptions }, io);
    // A model of the configuration's own may have no limit.
    const limits = model?.timeoutMs === undefined ? [AbortSignal.timeout(MODEL_TIMEOUT_MS)] : [];
    const reply = await model?.generate(
      { messages: [{ role: "user", content: "Answer with the word ready." }], maxTokens: 8 },
      { signal: AbortSignal.any([io.signal, ...limits]), maxRetries: 0 },
    );
    return { name: "model", status: "ok", message: `${name} answered ${JSON.stringify(reply?.text.slice(0, 40))}` };
  } catch (error) {
    // So few tokens may all go into a thought.
    if ((error as { code?: unknown }).code === "CONTROLLER_LENGTH")
      return { name: "model", status: "ok", message: `${name} answers, and thinks first` };
    return { name: "model", status: "failed", message: `${name}: ${(error as Error).message}` };
  }
}

/** A model in this process is not loaded for this: that may take a minute. */
async function localModelCheck(
  name: string | undefined,
  options: SessionOptions,
  io: CliIo,
): Promise<Check | undefined> {
  try {
    const model = await chooseModel({ ...options, ...(name && { model: name }) }, {}, io);
    if (model === undefined || (!name && io.env.OPENAI_BASE_URL)) return undefined;
    return {
      name: "model",
      status: "ok",
      message: `${model.name} in this process; it is loaded when it is first asked`,
    };
  } catch (error) {
    return name ? { name: "model", status: "failed", message: (error as Error).message } : undefined;
  }
}

/** Names the controller that would plan with these options, without calling it. */
async function controllerCheck(options: SessionOptions, io: CliIo): Promise<Check[]> {
  try {
    await using session = await openPlanning(options, io);
    return [{ name: "controller", status: "ok", message: `${session.controller.name} plans` }];
  } catch (error) {
    return [{ name: "controller", status: "failed", message: (error as Error).message }];
  }
}
