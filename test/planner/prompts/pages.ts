import { type PromptText, planPrompt, promptTexts } from "./texts.ts";

/** The pages of `docs/prompts` by file name. */
export async function promptPages(): Promise<ReadonlyMap<string, string>> {
  const texts = await promptTexts();
  const sizes = await Promise.all([5, 50, 300].map((count) => planPrompt(count)));
  const pages = texts.map((text) => [`${text.name}.md`, pageOf(text)] as const);
  return new Map([["README.md", indexOf([...texts, ...sizes], new Set(texts))], ...pages]);
}

function indexOf(texts: readonly PromptText[], printed: ReadonlySet<PromptText>): string {
  const rows = texts.map((text) => {
    const name = printed.has(text) ? `[${text.name}](${text.name}.md)` : text.name;
    return `| ${name} | ${text.what} | ${text.tokens} | ${text.schemaTokens} |`;
  });
  return [
    "# What models are asked",
    "Every request that planning makes, word for word, over the tools of an invented shop. `pnpm prompts` writes these pages; a test",
    "fails where they are not what is sent, where a prompt outgrows its budget (750, 1,500 and 2,000 tokens with 5, 50 and 300 tools) and where two goals over",
    "one catalogue do not begin alike. Tokens are those of the encoding o200k.",
    "",
    "| request | | tokens | of the schema |",
    "|---|---|---|---|",
    ...rows,
    "",
    "OpenAI counts the schema's tokens; servers that compile it into a grammar (llama-server, vLLM) do not read it.",
    "",
  ].join("\n");
}

function pageOf({ name, what, request, tokens, schemaTokens }: PromptText): string {
  const messages = request.messages.map(({ role, content }) => `## ${role}\n~~~text\n${content}\n~~~`);
  const { schema } = request;
  const form =
    schema === undefined
      ? []
      : [
          `## Schema of the answer${schema.strict === true ? ", strict" : ""}\n~~~json\n${JSON.stringify(schema.schema)}\n~~~`,
        ];
  return [`# ${name}`, what, `${tokens} tokens, ${schemaTokens} of the schema.`, ...messages, ...form, ""].join("\n\n");
}
