import { defineTool, memoryJournal, Planloom } from "planloom";
import { expect, test } from "vitest";

const tool = (id: string, description: string) => defineTool({ id, description, readOnly: true, execute: () => 1 });

test("two tools with one id are refused before anything is planned", () => {
  const tools = [tool("list", "Lists orders"), tool("other", "Else"), tool("list", "Lists customers")];
  expect(() => new Planloom({ tools, journal: memoryJournal() })).toThrow(
    expect.objectContaining({
      code: "RUNTIME_DUPLICATE_RESOURCE",
      message: 'Expected each id once in `tools`, got "list" twice.',
    }),
  );
});
