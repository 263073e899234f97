import { quotedCall, readTextCalls } from "@planloom/controller";
import { describe, expect, test } from "vitest";
import { leastCpuMs } from "../support/cpu-time.ts";

const tools = [{ name: "send" }];
const call = '{"name": "send", "arguments": {}}';

test.for([
  `I would write <tool_call>${call}</tool_call>.`,
  `As in <TOOL_CALL>${call}</tool_call>.`,
  `<function> is a tag: <function=send>{}</function>`,
  `\`\`\`json\n[]\n\`\`\` and then\n\`\`\`json\n${call}\n\`\`\``,
  `<tool_calls> and <function_call>${call}</function_call>`,
])("a call that is quoted within a text is found: %s", (text) => {
  expect(readTextCalls(text, tools)).toBeUndefined();
  expect(quotedCall(text, tools)).toBe("send");
});

test.for([`<tool_call>${call}`, `</tool_call>${call}<tool_call>`, `\`\`\` ${call}`, `<function>${call}</function> `])(
  "nothing is quoted without an end: %s",
  (text) => {
    expect(quotedCall(`So: ${text}`, tools)).toBeUndefined();
  },
);

describe("the time is linear", () => {
  test.for<[string, (length: number) => string]>([
    ["tags that never close", (length) => "<function=f>".repeat(length / 12)],
    ["fences that never close", (length) => `<tool_call>${"`".repeat(length)}`],
    ["blanks in a tag that never closes", (length) => `<tool_call>a${" ".repeat(length)}b`],
    ["blanks in a call", (length) => `<function=send>${" ".repeat(length)}{}</function>`],
    ["lines in a fence", (length) => `\`\`\`json${"\n ".repeat(length / 2)}{}`],
  ])("%s", ([, make]) => {
    const time = (length: number) => {
      const text = make(length);
      return leastCpuMs(() => [readTextCalls(text, tools), quotedCall(text, tools)], 2);
    };
    time(10_000);
    expect(time(120_000)).toBeLessThan(8 * time(30_000) + 30);
  });
});
