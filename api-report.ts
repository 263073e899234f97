/**
 * What every package promises its users, values and types, as `packages/NAME/api.md`: read in a review, so that nobody changes the
 * public surface without meaning it. `node api-report.ts` writes the reports from the declarations that `tsc -b` emitted;
 * with `--check` it compares them and exits with 1 where one differs. Comments are left out. An argument is another folder of packages.
 */
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, normalize, relative } from "node:path";
import { parseArgs } from "node:util";
import { parseSync } from "rolldown/utils";

/** A declaration, or what a name stands for in another module. */
type Target = (Own | { readonly library: string }) & { readonly name: string; readonly typeOnly?: boolean };

interface Own {
  readonly file: string;
}

interface Module {
  /** Declarations by name, comments left out; several where one is overloaded or merged. */
  readonly declared: ReadonlyMap<string, readonly Declaration[]>;
  readonly imported: ReadonlyMap<string, Target>;
  readonly exported: ReadonlyMap<string, Target>;
  /** Modules all of which this one exports. */
  readonly all: readonly string[];
}

interface Declaration {
  readonly text: string;
  /** Names of types and values it mentions, those of `import("…").Name` with where they are from. */
  readonly mentions: readonly (string | Target)[];
}

/** What an import or export statement says of one name. */
interface Specifier {
  readonly local: Node;
  readonly imported?: Node;
  readonly exported?: Node;
  readonly exportKind?: string;
}

/** As much of a syntax tree as is read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const { values, positionals } = parseArgs({ options: { check: { type: "boolean" } }, allowPositionals: true });
const packages = positionals[0] ?? join(import.meta.dirname, "packages");
const modules = new Map<string, Module>();

async function moduleOf(file: string): Promise<Module> {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const source = await readFile(file, "utf8");
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`Expected ${file} to be declarations, got: ${errors[0]!.message}`);
  const declared = new Map<string, Declaration[]>();
  const imported = new Map<string, Target>();
  const exported = new Map<string, Target>();
  const all: string[] = [];

  const targetOf = (from: string, name: string): Target =>
    from.startsWith(".") ? { file: declarationFile(file, from), name } : { library: from, name };
  const nodes = program.body as unknown as Node[];
  for (const node of nodes) {
    const from = (node.source as { value: string } | null | undefined)?.value;
    const specifiers = (node.specifiers ?? []) as Specifier[];
    if (node.type === "ImportDeclaration") {
      for (const { local, imported: name } of specifiers) {
        imported.set(nameOf(local), targetOf(from!, name === undefined ? "default" : nameOf(name)));
      }
    } else if (node.type === "ExportAllDeclaration") all.push(from!);
    else if (node.type === "ExportNamedDeclaration" && node.declaration === null) {
      for (const { local, exported: name, exportKind } of specifiers) {
        const target = from === undefined ? { file, name: nameOf(local) } : targetOf(from, nameOf(local));
        exported.set(nameOf(name), { ...target, typeOnly: node.exportKind === "type" || exportKind === "type" });
      }
    } else {
      const declaration = (node.declaration ?? node) as Node;
      const { start, end } = node;
      const inside = comments.filter((comment) => comment.start >= start && comment.end <= end);
      let text = source.slice(start, end);
      for (const comment of inside.reverse()) {
        text = text.slice(0, comment.start - start) + text.slice(comment.end - start);
      }
      text = text.replaceAll(/^[ \t]*\n|[ \t]+$/gm, "");
      for (const name of declaredNames(declaration)) {
        const mentions = [...mentionsOf(declaration)].map((each) =>
          typeof each === "string" ? each : targetOf(each.from, each.name),
        );
        declared.set(name, [...(declared.get(name) ?? []), { text, mentions }]);
        if (node.type === "ExportNamedDeclaration") exported.set(name, { file, name });
      }
    }
  }
  const module = { declared, imported, exported, all };
  modules.set(file, module);
  return module;
}

function nameOf(node: Node | undefined): string {
  return String(node?.name ?? node?.value);
}

/** `./x.ts` in a declaration file is `x.d.ts` beside it. */
function declarationFile(importer: string, specifier: string): string {
  return normalize(join(importer, "..", specifier.replace(/\.[jt]s$/, ".d.ts")));
}

function declaredNames(declaration: Node): string[] {
  if (declaration.type !== "VariableDeclaration")
    return declaration.id === undefined ? [] : [nameOf(declaration.id as Node)];
  return (declaration.declarations as { id: Node }[]).map(({ id }) => nameOf(id));
}

function* mentionsOf(value: unknown): Generator<string | { from: string; name: string }> {
  if (Array.isArray(value)) for (const each of value) yield* mentionsOf(each);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const node = value as Node;
  if (node.type === "TSImportType") {
    const from = (node.source as { value: string }).value;
    if (node.qualifier !== null) yield { from, name: leftmost(node.qualifier as Node) };
  }
  const named =
    node.typeName ?? node.exprName ?? node.superClass ?? (node.type.startsWith("TS") ? node.expression : null);
  if (named !== null && named !== undefined) yield leftmost(named as Node);
  for (const [field, child] of Object.entries(node)) if (field !== "type") yield* mentionsOf(child);
}

/** `a` of `a.b.c`. */
function leftmost(node: Node): string {
  return node.left === undefined ? nameOf(node) : leftmost(node.left as Node);
}

/** The declarations, or the library, that a name of a module stands for in the end. */
async function resolve(target: Target): Promise<Target> {
  if ("library" in target) return target;
  const module = await moduleOf(target.file);
  if (module.declared.has(target.name)) return target;
  const next = module.imported.get(target.name) ?? module.exported.get(target.name);
  if (next === undefined) throw new Error(`Expected ${target.file} to declare or import ${target.name}.`);
  return resolve(target.typeOnly === true ? { ...next, typeOnly: true } : next);
}

const keyOf = (target: Target): string => ("file" in target ? `${target.file} ${target.name}` : "");

/** An entry of a package: its name as in an import, and its declaration file. */
interface Entry {
  readonly name: string;
  readonly file: string;
}

/** By declaration, the first entry of the package that exports it: the report shows it there. */
async function exportingEntries(entries: readonly Entry[]): Promise<Map<string, string>> {
  const first = new Map<string, string>();
  for (const { name, file } of entries) {
    for (const exported of (await moduleOf(file)).exported.values()) {
      const key = keyOf(await resolve(exported));
      if (!first.has(key)) first.set(key, name);
    }
  }
  return first;
}

/** One entry of a package: what it exports, and what that mentions although no entry of the package exports it. */
async function entryReport({ name, file }: Entry, folder: string, shownIn: Map<string, string>): Promise<string> {
  const module = await moduleOf(file);
  const lines: string[] = module.all.map((from) => `export * from "${from}";`);
  const libraries = new Map<string, string[]>();
  const seen = new Set<string>();
  const queue: Target[] = [];
  const declarations: string[] = [];
  const hidden: string[] = [];
  const show = async (target: Target & Own, into: string[], exportedAs?: string) => {
    const { declared, imported } = await moduleOf(target.file);
    for (const { text, mentions } of declared.get(target.name)!) {
      const renamed = exportedAs === undefined || exportedAs === target.name ? "" : `// exported as ${exportedAs}\n`;
      into.push(renamed + text);
      for (const mention of mentions) {
        if (typeof mention !== "string") queue.push(mention);
        else if (declared.has(mention)) queue.push({ file: target.file, name: mention });
        else if (imported.has(mention)) queue.push(imported.get(mention)!);
      }
    }
  };
  for (const exported of [...module.exported.keys()].sort()) {
    const target = await resolve(module.exported.get(exported)!);
    const from = "library" in target ? target.library : shownIn.get(keyOf(target))!;
    if (from !== name) {
      const kind = target.typeOnly === true ? "type " : "";
      const renamed = kind + (exported === target.name ? exported : `${target.name} as ${exported}`);
      libraries.set(from, [...(libraries.get(from) ?? []), renamed]);
    } else if ("file" in target) {
      seen.add(keyOf(target));
      await show(target, declarations, exported);
    }
  }
  for (const [library, names] of [...libraries].sort()) {
    lines.push(`export {\n${names.map((each) => `    ${each},\n`).join("")}} from "${library}";`);
  }
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const target = await resolve(next);
    if ("library" in target || seen.has(keyOf(target)) || shownIn.has(keyOf(target))) continue;
    seen.add(keyOf(target));
    const from = relative(join(folder, "dist"), target.file).replace(/\.d\.ts$/, ".ts");
    const shown: string[] = [];
    await show(target, shown);
    hidden.push(`// ${from}\n${shown.join("\n")}`);
  }
  const blocks = [...lines, ...declarations];
  const unexported = hidden.length === 0 ? [] : [`Mentioned there, not exported:`, fenced(hidden.sort())];
  return [`## \`${name}\``, fenced(blocks), ...unexported].join("\n\n");
}

function fenced(blocks: readonly string[]): string {
  return `\`\`\`ts\n${blocks.join("\n\n")}\n\`\`\``;
}

async function packageReport(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly publishConfig: { readonly exports: Readonly<Record<string, string | { readonly types: string }>> };
  };
  const entries = Object.entries(manifest.publishConfig.exports).flatMap(([entry, published]) =>
    typeof published === "string" ? [] : [{ name: join(manifest.name, entry), file: join(folder, published.types) }],
  );
  const shownIn = await exportingEntries(entries);
  const reports: string[] = [];
  for (const entry of entries) reports.push(await entryReport(entry, folder, shownIn));
  const head = `# What \`${manifest.name}\` exports\n\nWritten by \`pnpm api\`; a change of it is a change for users.`;
  return `${[head, ...reports].join("\n\n")}\n`;
}

let differ = false;
for (const name of (await readdir(packages)).sort()) {
  const file = join(packages, name, "api.md");
  const report = await packageReport(join(packages, name));
  if (values.check !== true) await writeFile(file, report);
  else {
    const kept = existsSync(file) ? await readFile(file, "utf8") : "";
    if (kept === report) continue;
    differ = true;
    const before = new Set(kept.split("\n"));
    const after = new Set(report.split("\n"));
    const gone = [...before].filter((line) => !after.has(line)).map((line) => `- ${line}`);
    const come = [...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`);
    process.stderr.write(
      `packages/${name}/api.md is not what the package exports:\n${[...gone, ...come].join("\n")}\n`,
    );
  }
}
if (differ) {
  process.stderr.write("Where the change is meant, run `pnpm api` and commit the reports.\n");
  process.exitCode = 1;
}
