import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { importCircles } from "./support/import-circles.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const bottom = ["plan", "controller"];
const middle = ["planner", "optimizer", "runtime", "embedded"];
const adapters = ["mcp", "bench", "local", "postgres"];
/** On the public API alone, as `cli` is, which loads it when it is asked for. */
const besideCli = ["server", "mcp-server", "a2a", "otel"];
/** For people who come from another planner: on the bottom alone, and nothing of the product needs it. */
const besides = { compat: bottom };

/** Which packages each may depend on: arrows go downward only, and the middle packages never meet. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  plan: [],
  controller: ["plan"],
  ...Object.fromEntries(middle.map((name) => [name, bottom])),
  ...Object.fromEntries(adapters.map((name) => [name, [...bottom, ...middle]])),
  ...besides,
  planloom: [...bottom, ...middle],
  ...Object.fromEntries(besideCli.map((name) => [name, ["planloom", "page"]])),
  page: ["planloom"],
  cli: ["planloom", "page"],
};

/** Adapters that `cli` loads when they are asked for: peers, imported dynamically alone. */
const lazyPeers: Readonly<Record<string, readonly string[]>> = { cli: [...adapters, ...besideCli] };

/** What the program has to bring, since there must be one of it. */
const requiredPeers: Readonly<Record<string, readonly string[]>> = { otel: ["@opentelemetry/api"] };

/** Libraries that belong to one package, so that replacing one is the business of one package. */
const owners: Readonly<Record<string, string>> = {
  graphology: "plan",
  "graphology-dag": "plan",
  "graphology-types": "plan",
  openai: "controller",
  eventemitter3: "planloom",
  croner: "planloom",
  pg: "postgres",
  "@dbos-inc/dbos-sdk": "postgres",
};

/**
 * What the rooms of a package may import from one another, by folder below `src`; the longest name that a file's path begins
 * with is its room. The files beside the rooms wire them together: they import every room, and of them the rooms
 * import those of `beside` alone.
 */
const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  embedded: {
    language: [],
    catalogue: ["language"],
    draft: ["language", "catalogue"],
    meaning: ["language", "catalogue"],
    explicit: ["language", "catalogue", "draft"],
    confidence: ["language", "catalogue", "draft"],
    records: ["language", "catalogue", "draft"],
    "functions/learned": [],
    "functions/segmenting": ["language", "catalogue", "draft", "meaning", "functions/learned"],
    "functions/arguments": ["language", "catalogue", "draft", "meaning", "functions/learned", "functions/segmenting"],
    "functions/chains": ["language", "catalogue", "draft", "functions/segmenting", "functions/arguments"],
    functions: [
      ...["language", "catalogue", "draft", "meaning"],
      ...["functions/learned", "functions/segmenting", "functions/arguments", "functions/chains"],
    ],
    replan: ["catalogue"],
    memory: ["language"],
  },
  runtime: {
    core: [],
    expressions: [],
    ports: [],
    options: ["ports"],
    journal: ["ports", "options"],
    edge: ["journal", "options"],
    feed: ["journal"],
    executors: ["edge", "expressions", "journal"],
    secrets: ["executors"],
    input: ["executors", "expressions", "secrets"],
    waiting: ["edge", "input", "journal"],
    "shared-limits": ["executors", "journal", "options", "ports"],
    admission: ["executors", "input", "journal", "ports", "shared-limits"],
    approvals: ["edge", "executors", "input", "journal", "secrets"],
    "task-execution": [
      ...["core", "ports", "journal", "edge", "feed", "executors", "secrets", "input", "shared-limits", "admission"],
      ...["approvals", "waiting"],
    ],
    replan: ["core", "ports", "journal", "edge", "executors", "admission", "approvals", "task-execution"],
    "dispatch/port": ["ports", "journal", "admission", "task-execution"],
    "options/run": ["options", "ports", "journal", "secrets", "shared-limits", "dispatch/port"],
    dispatch: [
      "dispatch/port",
      "options/run",
      "core",
      "ports",
      "journal",
      "secrets",
      "input",
      "shared-limits",
      "admission",
      "task-execution",
      "waiting",
    ],
    hosts: [
      ...["core", "ports", "journal", "feed", "secrets", "admission", "approvals", "task-execution"],
      ...["replan", "dispatch/port", "dispatch", "waiting"],
    ],
    "plan-execution": [
      ...["core", "ports", "journal", "edge", "executors", "secrets", "admission", "approvals", "task-execution"],
      ...["replan", "dispatch/port", "options/run", "dispatch", "hosts", "waiting"],
    ],
    "what-if": ["core", "ports", "journal", "edge", "executors", "options", "task-execution"],
    operations: [
      ...[
        "core",
        "expressions",
        "ports",
        "journal",
        "edge",
        "executors",
        "options",
        "secrets",
        "input",
        "approvals",
        "task-execution",
      ],
      ...["replan", "plan-execution", "waiting"],
    ],
    loop: ["journal", "edge", "executors", "options"],
  },
};

/** Files beside the rooms that rooms import. */
const beside: Readonly<Record<string, readonly string[]>> = {
  embedded: ["check-options.ts", "errors.ts"],
  runtime: [
    "any-signal.ts",
    "cached-output.ts",
    "call-kinds.ts",
    "cancellable-runs.ts",
    "check-options.ts",
    "check-keys.ts",
    "check-variables.ts",
    "confirm.ts",
    "error-trace.ts",
    "errors.ts",
    "estimate-of.ts",
    "event-sink.ts",
    "events.ts",
    "invalid-option.ts",
    "json-copy.ts",
    "live-runs.ts",
    "live-tasks.ts",
    "make-limits.ts",
    "named-resources.ts",
    "nested-keeping.ts",
    "parsed-plan.ts",
    "plan-run-rules.ts",
    "result-cache.ts",
    "resume.ts",
    "run-limits.ts",
    "run-settings.ts",
    "run-result.ts",
    "run.ts",
    "stop-reason.ts",
    "stored-options.ts",
    "task-error.ts",
    "task-shape.ts",
  ],
};

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly dynamic: boolean;
}

interface Package {
  readonly name: string;
  readonly folder: string;
  readonly dependencies: readonly string[];
  readonly peers: readonly string[];
  readonly optionalPeers: readonly string[];
  readonly imports: readonly Import[];
}

const packages = readdirSync(join(root, "packages"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => readPackage(name));

function readPackage(name: string): Package {
  const folder = join(root, "packages", name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, object | undefined>;
  const keys = (field: string) => Object.keys(manifest[field] ?? {});
  const files = ["src", "lazy"]
    .filter((part) => existsSync(join(folder, part)))
    .flatMap((part) =>
      readdirSync(join(folder, part), { recursive: true, encoding: "utf8" }).map((file) => join(part, file)),
    )
    .filter((file) => /\.[cm]?[tj]sx?$/.test(file));
  return {
    name,
    folder,
    dependencies: [...keys("dependencies"), ...keys("optionalDependencies")],
    peers: keys("peerDependencies"),
    optionalPeers: keys("peerDependenciesMeta"),
    imports: files.flatMap((file) => importsOf(join(folder, file))),
  };
}

function importsOf(file: string): Import[] {
  // Comments quote code; a string is never at the start of a line where a comment could be.
  const text = readFileSync(file, "utf8").replaceAll(/^\s*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm, "");
  const fixed = text.matchAll(
    /^(?:import\s*|(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)?\s*from\s*)["']([^"'\n]+)["']/gm,
  );
  const late = text.matchAll(/\b(?:import|require(?:\.resolve)?|createRequire\([^)]*\))\(\s*["'`]([^"'`\n]+)["'`]/g);
  return [
    ...Array.from(fixed, ([, specifier]) => ({ file, specifier: specifier!, dynamic: false })),
    ...Array.from(late, ([, specifier]) => ({ file, specifier: specifier!, dynamic: true })),
  ];
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** The folder name of one of our own packages. */
function ownName(dependency: string): string | undefined {
  if (dependency === "planloom") return "planloom";
  return dependency.startsWith("@planloom/") ? dependency.slice("@planloom/".length) : undefined;
}

test.each(["embedded", "runtime"])("no type of %s has the name of another", (name) => {
  const folder = join(root, "packages", name, "src");
  const declared = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return [...text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) ([A-Z]\w*)/gm)].map(
        ([, each]) => each!,
      );
    });
  expect(declared.length).toBeGreaterThan(100);
  expect(declared.filter((each, at) => declared.indexOf(each) !== at)).toEqual([]);
});

test("no type that users import has the name of another package's", () => {
  const owners = new Map<string, Set<string>>();
  for (const name of readdirSync(join(root, "packages"))) {
    const report = readFileSync(join(root, "packages", name, "api.md"), "utf8");
    for (const [, type] of report.matchAll(/^export (?:declare )?(?:abstract )?(?:interface|type|class) ([A-Z]\w*)/gm))
      owners.set(type!, (owners.get(type!) ?? new Set()).add(name));
  }
  expect(owners.size).toBeGreaterThan(500);
  expect([...owners].flatMap(([type, { size }]) => (size > 1 ? [type] : []))).toEqual([]);
});

test("every package has its place", () => {
  expect(packages.map(({ name }) => name).sort()).toEqual(Object.keys(mayImport).sort());
});

describe.each(packages)("$name", ({ name, folder, dependencies, peers, optionalPeers, imports }) => {
  const bare = imports.filter(({ specifier }) => !/^[.#]/.test(specifier) && !isBuiltin(specifier));

  test("depends only on packages below it", () => {
    const own = dependencies.map(ownName).filter((each) => each !== undefined);
    expect(own.filter((each) => !mayImport[name]!.includes(each))).toEqual([]);
    const ownPeers = peers.map(ownName).filter((each) => each !== undefined);
    expect(ownPeers.filter((each) => !lazyPeers[name]?.includes(each))).toEqual([]);
    const needed = requiredPeers[name] ?? [];
    expect(optionalPeers).toEqual(expect.arrayContaining(peers.filter((each) => !needed.includes(each))));
  });

  test("imports only packages below it", () => {
    const wrong = bare.filter(({ specifier, dynamic }) => {
      const own = ownName(packageOf(specifier));
      if (own === undefined || mayImport[name]!.includes(own)) return false;
      return !(dynamic && lazyPeers[name]?.includes(own));
    });
    expect(wrong).toEqual([]);
  });

  test("imports only what its package.json declares", () => {
    const declared = new Set([...dependencies, ...peers]);
    expect(bare.filter(({ specifier }) => !declared.has(packageOf(specifier)))).toEqual([]);
  });

  test("leaves other packages' libraries alone", () => {
    const named = [...dependencies, ...peers, ...bare.map(({ specifier }) => packageOf(specifier))];
    expect(named.filter((each) => Object.hasOwn(owners, each) && owners[each] !== name)).toEqual([]);
  });

  test("reaches its own files by relative paths, and no others", () => {
    const source = join(folder, "src");
    const strays = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith(".")) return false;
      const target = resolve(dirname(file), specifier);
      const inside = !relative(source, target).startsWith("..") || target === join(folder, "package.json");
      return !inside || !existsSync(target);
    });
    expect(strays).toEqual([]);
  });

  test("hides nothing that it loads from bundlers", () => {
    const hidden = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && /\bcreateRequire\b/.test(readFileSync(join(folder, "src", file), "utf8")),
    );
    expect(hidden).toEqual([]);
  });

  test("keeps its tests in test/", () => {
    const files = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.(test|spec|bench)\./.test(file))).toEqual([]);
  });
});

test("no files import one another in a circle, type imports counted", () => {
  const beside = globSync("{docs,examples,test}/**/*.ts", { cwd: root, exclude: ["**/node_modules"] });
  const files = new Map<string, string[]>();
  for (const { file, specifier } of [
    ...packages.flatMap(({ imports }) => imports),
    ...beside.flatMap((file) => importsOf(join(root, file))),
  ]) {
    const targets = files.get(relative(root, file)) ?? [];
    if (specifier.startsWith(".")) targets.push(relative(root, resolve(dirname(file), specifier)));
    files.set(relative(root, file), targets);
  }
  expect(importCircles(files)).toEqual([]);
});

test("import circles are found, and what only hangs on one is not part of it", () => {
  const imports = { a: ["b"], b: ["c", "d"], c: ["a"], d: ["e", "x"], e: ["d"], f: ["a"], g: ["g"], h: ["i"], i: [] };
  expect(importCircles(new Map(Object.entries(imports)))).toEqual([["a", "b", "c"], ["d", "e"], ["g"]]);
});

describe.each(Object.entries(rooms))("rooms of %s", (name, own) => {
  const source = join(root, "packages", name, "src");
  const imports = packages
    .find((each) => each.name === name)!
    .imports.filter(({ specifier }) => specifier.startsWith("."))
    .map(({ file, specifier }) => ({
      from: relative(source, file),
      to: relative(source, resolve(dirname(file), specifier)),
    }));
  const names = Object.keys(own).toSorted((left, right) => right.length - left.length);
  const roomOf = (file: string) => names.find((room) => file.startsWith(`${room}/`)) ?? "";

  test("every folder is a room", () => {
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    expect(files.filter((file) => file.includes("/") && roomOf(file) === "")).toEqual([]);
  });

  test("no rooms import one another in a circle", () => {
    expect(importCircles(new Map(Object.entries(own).map(([room, below]) => [room, [...below]])))).toEqual([]);
  });

  test("docs/architecture.md says of each room what it may import", () => {
    const page = readFileSync(join(root, "docs", "architecture.md"), "utf8");
    const [, section = ""] = page.split(`#### What a room of \`${name}\` may import`);
    const rows = section.split(/^#/m)[0]!.matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm);
    const said = Object.fromEntries(
      Array.from(rows, ([, room, imports]) => [room, Array.from(imports!.matchAll(/`([^`]+)`/g), ([, each]) => each)]),
    );
    expect(said).toEqual(own);
  });

  test("a room imports only those below it", () => {
    const wrong = imports.filter(({ from, to }) => {
      const [room, target] = [roomOf(from), roomOf(to)];
      if (room === "" || room === target || beside[name]!.includes(to)) return false;
      return !own[room]!.includes(target);
    });
    expect(wrong).toEqual([]);
  });
});

test("each library that has an owner is used by it", () => {
  for (const [library, owner] of Object.entries(owners)) {
    if (library === "graphology-types" || library === "graphology-dag") continue;
    expect(packages.find(({ name }) => name === owner)!.dependencies).toContain(library);
  }
});

test("the repository has no other folders", () => {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => name);
  expect(folders.sort()).toEqual(["docs", "examples", "packages", "test"]);
});

test("tests of a package are in the folder named after it", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
    .map(({ name }) => name);
  const beside = [
    "bench",
    "bundle",
    "conformance",
    "contract",
    "docs",
    "e2e",
    "examples",
    "freight",
    "histories",
    "mutation",
    "repeat",
    "simulation",
    "support",
    "surface",
  ];
  expect(folders.filter((name) => !beside.includes(name) && !Object.hasOwn(mayImport, name))).toEqual([]);
});
