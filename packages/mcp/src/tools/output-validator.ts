import type { JsonSchemaType, Tool } from "@modelcontextprotocol/client";

/** Says what is wrong with a structured output; undefined when it fits its schema, or nothing was declared. */
export type OutputCheck = (value: unknown) => string | undefined;

const accept: OutputCheck = () => undefined;

/** Compiles the checks of one server's tools, each at its first use. */
export class OutputValidator {
  readonly #checks = new Map<string, OutputCheck>();
  readonly #warn: (text: string) => void;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  async check(tool: Tool): Promise<OutputCheck> {
    const known = this.#checks.get(tool.name);
    if (known) return known;
    const check = await this.#compile(tool);
    this.#checks.set(tool.name, check);
    return check;
  }

  async #compile(tool: Tool): Promise<OutputCheck> {
    if (!tool.outputSchema) return accept;
    const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
    try {
      const validate = new AjvJsonSchemaValidator().getValidator(tool.outputSchema as JsonSchemaType);
      return (value) => {
        const verdict = validate(value);
        return verdict.valid ? undefined : verdict.errorMessage;
      };
    } catch (error) {
      // A schema nobody can read must not make a working tool unusable.
      this.#warn(`The output schema of ${tool.name} cannot be read, its outputs are not checked: ${String(error)}`);
      return accept;
    }
  }
}
