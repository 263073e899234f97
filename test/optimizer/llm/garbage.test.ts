import { readOutput } from "@planloom/controller";
import { completeEnvironment, repair, verify } from "@planloom/optimizer";
import { planViewFromEdges } from "@planloom/plan";
import { expect, test } from "vitest";
import { judgeGroups } from "../../../packages/optimizer/src/llm/judge-groups.ts";
import { groupsSchema } from "../../../packages/optimizer/src/llm/prompts.ts";
import { garbageKinds, garbageReply } from "../../bench/garbage-replies.ts";

const ids = Array.from({ length: 12 }, (_, v) => `t${v}`);
const from = [0, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9];
const to = [1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 10, 11];
const view = planViewFromEdges({ n: 12, from, to, ids });
const environments = [{}, { maxTasks: 3 }, { executors: 2, overheadMs: 500 }].map((each) =>
  completeEnvironment(view, each),
);

test("whatever a model answers, what comes of it is valid or nothing", () => {
  const read = new Map<string, number>(garbageKinds.map((kind) => [kind, 0]));
  for (let seed = 0; seed < 1200; seed++) {
    const { kind, text } = garbageReply(ids, seed);
    const environment = environments[seed % environments.length]!;
    const answer = readOutput(text, { schema: groupsSchema });
    if (!answer.found) continue;
    read.set(kind, read.get(kind)! + 1);
    expect(() => judgeGroups(view, environment, answer.value)).not.toThrow();
    const { partition, unfit } = repair(view, environment, answer.value);
    expect(verify(view, environment, partition), text).toEqual([]);
    expect(unfit).toEqual([]);
  }
  // The answers are not all so broken that repair never sees them.
  for (const kind of garbageKinds) if (kind !== "no JSON") expect(read.get(kind), kind).toBeGreaterThan(5);
});
