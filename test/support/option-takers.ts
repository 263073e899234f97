import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";
import { repository } from "./run-cli.ts";

/** As much of a syntax tree as is read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Types of options by their names, as the packages call them. */
const optionsName = /(Options|Config|Context|EnvironmentInput)$/;

/**
 * What of the public surface takes options, found in the API reports: `package function`, `package Class` for a constructor,
 * `package Class.method` otherwise. A parameter is options if it is called so, or optional and an object by its type, or its type's name says so.
 * Errors are left out: making one must not throw another.
 */
export function optionTakers(): string[] {
  const packages = join(repository, "packages");
  const names = readdirSync(packages).flatMap((name) => takersOf(readFileSync(join(packages, name, "api.md"), "utf8")));
  return [...new Set(names)].sort();
}

/** @param report the text of an `api.md` */
export function takersOf(report: string): string[] {
  return report
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const entry = /`(.*?)`/.exec(section)?.[1] ?? "";
      const [exported = [], mentioned = []] = [...section.matchAll(/```ts\n([\s\S]*?)\n```/g)].map(([, code]) =>
        declarationsOf(entry, code!),
      );
      // What a class has of one that is not exported is its own.
      const bases = new Map(mentioned.map((each) => [nameOf(each), each]));
      return exported.flatMap((each) => takers(each, bases).map((name) => `${entry} ${name}`));
    });
}

function declarationsOf(entry: string, code: string): Node[] {
  const { program, errors } = parseSync("report.d.ts", code);
  if (errors.length > 0)
    throw new Error(`Expected the report of ${entry} to be declarations, got: ${errors[0]!.message}`);
  return (program.body as unknown as Node[]).map((node) => (node.declaration ?? node) as Node);
}

const nameOf = (declaration: Node) => (declaration.id as { name?: string } | undefined)?.name ?? "";

function takers(declaration: Node, bases: ReadonlyMap<string, Node>): string[] {
  const name = nameOf(declaration);
  if (declaration.type === "TSDeclareFunction") return hasOptions(declaration.params as Node[]) ? [name] : [];
  if (declaration.type !== "ClassDeclaration") return [];
  const superClass = (declaration.superClass as { name?: string } | null)?.name ?? "";
  if (/Error$/.test(superClass)) return [];
  const base = superClass === "" ? undefined : bases.get(superClass);
  const inherited = base === undefined ? [] : (base.body as { body: Node[] }).body;
  return [...(declaration.body as { body: Node[] }).body, ...inherited].flatMap((member) => {
    if (member.type !== "MethodDefinition" || !hasOptions((member.value as { params: Node[] }).params)) return [];
    const key = (member.key as { name?: string }).name ?? "";
    return [key === "constructor" ? name : `${name}.${key}`];
  });
}

function hasOptions(parameters: readonly Node[]): boolean {
  return parameters.some((parameter) => {
    const type = (parameter.typeAnnotation as { typeAnnotation?: Node } | undefined)?.typeAnnotation;
    if (type === undefined) return false;
    if (parameter.name === "options") return true;
    return isOptions(type, parameter.optional === true);
  });
}

function isOptions(type: Node, isOptional: boolean): boolean {
  if (type.type === "TSTypeLiteral") return isOptional;
  if (type.type === "TSIntersectionType") return (type.types as Node[]).some((each) => isOptions(each, isOptional));
  if (type.type !== "TSTypeReference") return false;
  const name = (type.typeName as { name?: string }).name ?? "";
  if (["Pick", "Omit", "Partial", "Readonly"].includes(name)) {
    const [first] = (type.typeArguments as { params: Node[] }).params;
    return first !== undefined && isOptions(first, isOptional);
  }
  return name.endsWith("Context") ? isOptional : optionsName.test(name);
}
