import { EmbeddedController, type Encode, encodeGoal, modelEncoder, planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { text, tool } from "../support/tool-records.ts";

/** Words of one row mean one thing; any other word means itself. */
const synonyms = [
  ["lawyer", "attorney", "solicitor"],
  ["illness", "sickness", "disease"],
  ["automobile", "car", "vehicle"],
  ["melody", "tune", "song"],
];

/** Where a concept counts in a vector (FNV-1a). */
function slotOf(concept: string): number {
  let hash = 0x811c9dc5;
  for (const character of concept) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0) % dimensions;
}

const dimensions = 4_096;
const small = new Set("a an the of for to and in is my please i you your me some about with any it that".split(" "));

/** A bag of concepts; counts what it is asked. */
function bagOfConcepts(meaningOf = conceptOf): Encode & { readonly requests: string[][] } {
  const requests: string[][] = [];
  const encode: Encode = async (texts) => {
    requests.push([...texts]);
    return texts.map((each) => {
      const counts = new Float64Array(dimensions);
      for (const word of each.toLowerCase().match(/[a-z]+/g) ?? [])
        if (!small.has(word)) counts[slotOf(meaningOf(word))]! += 1;
      return counts;
    });
  };
  return Object.assign(encode, { requests });
}

function conceptOf(word: string): string {
  return synonyms.find((row) => row.includes(word))?.[0] ?? word;
}

const bare = (id: string, description: string): Resource => tool(id, description, {}, {});
const office: readonly Resource[] = [
  bare("find_attorney", "Attorney for a dispute."),
  bare("describe_disease", "Disease and what helps."),
  bare("quote_melon", "Quote the daily price of a melon."),
  bare("quote_vehicle", "Quote the daily price of a vehicle."),
  bare("hum_tune", "Tune for an evening."),
  bare("water_garden", "Garden watering."),
  bare("fold_paper", "Paper folding."),
];

const asked = (goal: string) => ({ task_input_data: goal, n_history_samples: 0, llm_data: {} });
const phase1 = (goal: string) => ({ search_id: "s", phase_1_data: asked(goal), resources: office });
const phase2 = (goal: string) => ({ search_id: "s", phase_2_data: asked(goal), resources: office });

const toolsOf = async (goal: string, resources: readonly Resource[], encode?: Encode) => {
  const meaning = encode && (await encodeGoal(goal, resources, encode));
  return planGoal(goal, resources, meaning === undefined ? {} : { meaning }).plan.planned_tasks.map(
    (task) => task.tool_id,
  );
};

describe("an encoder", () => {
  test.for([
    ["I need a solicitor", ["find_attorney"]],
    ["Some song, please", ["hum_tune"]],
    ["Which sickness is it?", ["describe_disease"]],
    ["Fold the paper. Then quote the daily price of an automobile.", ["fold_paper", "quote_vehicle"]],
  ] as const)("finds what no word says: %s", async ([goal, wanted]) => {
    expect(await toolsOf(goal, office, bagOfConcepts())).toEqual(wanted);
    expect(await toolsOf(goal, office)).not.toEqual(wanted);
  });

  test("leaves what words say as it is", async () => {
    expect(await toolsOf("Water the garden, then fold the paper", office, bagOfConcepts())).toEqual([
      "water_garden",
      "fold_paper",
    ]);
  });

  test("does not make a call of what nothing is near to", async () => {
    expect(await toolsOf("Quartz zephyrs jog", office, bagOfConcepts())).toEqual([]);
    expect(await toolsOf("Paper over the cracks", office, bagOfConcepts())).toEqual(
      await toolsOf("Paper over the cracks", office),
    );
  });

  test("is asked once for the resources and once for each goal, and for at most 64 passages", async () => {
    const encode = bagOfConcepts();
    await toolsOf("I need a solicitor", office, encode);
    await toolsOf("Some song, quietly", office, encode);
    expect(encode.requests.map((each) => each.length)).toEqual([office.length, 1, 3]);
    // Another array of the same resources, and one more of them.
    await toolsOf("I need a solicitor", [...office, bare("ring_bell", "Bell.")], encode);
    expect(encode.requests.slice(3).map((each) => each.length)).toEqual([1, 1]);
    const long = Array.from({ length: 300 }, (_, at) => `I need solicitor number ${at}.`).join(" ");
    await toolsOf(long, office, encode);
    expect(encode.requests.slice(5).map((each) => each.length)).toEqual([64]);
    // Sentences of several pieces, one of them where the limit is.
    const joined = Array.from({ length: 60 }, (_, at) => `I need solicitor ${at}, some song and paper ${at}`).join(
      ". ",
    );
    expect(await toolsOf(joined, office, encode)).toContain("fold_paper");
  });

  test("is not asked about records, few resources or an empty goal", async () => {
    const encode = bagOfConcepts();
    const records = [
      tool(
        "list_orders",
        "Lists orders.",
        { city: text() },
        { orders: { type: "array", items: { type: "object", properties: { city: text() } } } },
        [],
      ),
      tool("list_boats", "Lists boats.", {}, { boats: { type: "array", items: { type: "object" } } }),
      tool("list_lakes", "Lists lakes.", {}, { lakes: { type: "array", items: { type: "object" } } }),
    ];
    expect(await encodeGoal("orders in Paris", records, encode)).toBeUndefined();
    expect(await encodeGoal("I need a solicitor", office.slice(0, 2), encode)).toBeUndefined();
    expect(await encodeGoal(" ", office, encode)).toBeUndefined();
    expect(encode.requests).toEqual([]);
  });

  test("is asked in both stages of a controller, which is without it what it was", async () => {
    const encode = bagOfConcepts();
    const goal = phase1("I need a solicitor");
    const task = phase2("Some song, please");
    const [plain, meaning] = [new EmbeddedController(), new EmbeddedController({ encode })];
    expect(await meaning.processPhase1(goal)).toMatchObject({
      success: true,
      data: { planned_tasks: [{ tool_id: "find_attorney" }] },
    });
    expect(await meaning.processPhase2(task)).toMatchObject({ success: true, data: { uid: "hum_tune" } });
    expect((await plain.processPhase1(goal)).success).toBe(false);
    expect((await plain.processPhase2(task)).success).toBe(false);
    expect(await meaning.processPhase1(goal)).toEqual(await new EmbeddedController({ encode }).processPhase1(goal));
  });
});

describe("vectors that are none", () => {
  const good = () => Array.from({ length: 8 }, (_, at) => at + 1);
  const answers: readonly (readonly [string, (texts: readonly string[]) => unknown, string])[] = [
    ["too few", (texts) => texts.slice(1).map(good), "7 vectors"],
    ["no list", () => ({ data: [] }), "7 vectors"],
    ["nothing", () => undefined, "7 vectors"],
    ["other lengths", (texts) => texts.map((_, at) => good().slice(at === 3 ? 1 : 0)), "one length"],
    ["empty ones", (texts) => texts.map(() => []), "above 0"],
    ["not a number", (texts) => texts.map((_, at) => good().map((value) => (at === 2 ? Number.NaN : value))), "finite"],
    ["infinite ones", (texts) => texts.map(() => [Number.POSITIVE_INFINITY, 1]), "finite"],
    ["lengths beyond numbers", (texts) => texts.map(() => [1e308, 1e308]), "finite"],
    ["texts", (texts) => texts.map(() => ["1", "2"]), "finite"],
    ["null", (texts) => texts.map(() => null), "above 0"],
  ];
  test.for(answers)("%s", async ([, answer, expected]) => {
    const encode = (async (texts: readonly string[]) => answer(texts)) as Encode;
    await expect(toolsOf("I need a solicitor", office, encode)).rejects.toMatchObject({
      name: "EmbeddedError",
      code: "EMBEDDED_ENCODER",
      message: expect.stringContaining(expected),
    });
  });

  test("an encoder that fails is the cause, also of a controller's error", async () => {
    const cause = new Error("no such model");
    const encode: Encode = async () => {
      throw cause;
    };
    const request = phase1("I need a solicitor");
    await expect(new EmbeddedController({ encode }).processPhase1(request)).rejects.toMatchObject({
      code: "EMBEDDED_ENCODER",
      message: expect.stringContaining("no such model"),
      cause,
    });
  });

  test("of another length than before: an error once, then all anew", async () => {
    let spare = 0;
    const inner = bagOfConcepts();
    const encode: Encode = async (texts, options) =>
      (await inner(texts, options)).map((vector) => [...Array.from(vector), ...Array<number>(spare).fill(0)]);
    expect(await toolsOf("I need a solicitor", office, encode)).toEqual(["find_attorney"]);
    spare = 4;
    await expect(toolsOf("I need a solicitor", office, encode)).rejects.toMatchObject({
      code: "EMBEDDED_ENCODER",
      message: "Expected the encoder to yield vectors of 4096 numbers as before, got 4100.",
    });
    expect(await toolsOf("I need a solicitor", office, encode)).toEqual(["find_attorney"]);
  });

  test("of zeros say nothing", async () => {
    const encode: Encode = async (texts) => texts.map(() => [0, 0, 0]);
    expect(await toolsOf("Water the garden", office, encode)).toEqual(await toolsOf("Water the garden", office));
  });
});

describe("an aborted signal", () => {
  const reason = new Error("enough");

  test("before: the encoder is not asked", async () => {
    const encode = bagOfConcepts();
    const call = encodeGoal("I need a solicitor", office, encode, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(encode.requests).toEqual([]);
  });

  test("meanwhile: the encoder is notified, and its work is waited for", async () => {
    const controller = new AbortController();
    let ended = false;
    const encode: Encode = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        const stop = () => {
          ended = true;
          reject(new Error("stopped"));
        };
        signal?.addEventListener("abort", () => setImmediate(stop));
        setImmediate(() => controller.abort(reason));
      });
    const request = phase1("I need a solicitor");
    const call = new EmbeddedController({ encode }).processPhase1(request, { signal: controller.signal });
    await expect(call).rejects.toBe(reason);
    expect(ended).toBe(true);
  });

  test("a model in this process goes on to no further text", async () => {
    const controller = new AbortController();
    const asked: string[] = [];
    const encode = modelEncoder({
      async embed(texts) {
        asked.push(...texts);
        if (asked.length === 2) controller.abort(reason);
        return texts.map(() => [1, 2]);
      },
    });
    await expect(encode(["a", "b", "c"], { signal: controller.signal })).rejects.toBe(reason);
    expect(asked).toEqual(["a", "b"]);
    expect(await modelEncoder({ embed: async (texts) => texts.map(() => [1]) })(["a", "b"], {})).toEqual([[1], [1]]);
  });
});

describe("plans by meaning", () => {
  const goals = fc
    .subarray(["I need a solicitor", "Quote the price of an automobile", "Fold the paper", "Some song for me"], {
      minLength: 1,
    })
    .map((chosen) => `${chosen.join(". ")}.`);

  test("do not depend on the order of the resources", async () => {
    await fc.assert(
      fc.asyncProperty(
        goals,
        fc.shuffledSubarray([...office], { minLength: office.length }),
        async (goal, shuffled) => {
          expect(await toolsOf(goal, shuffled, bagOfConcepts())).toEqual(await toolsOf(goal, office, bagOfConcepts()));
        },
      ),
    );
  });

  test("are the same for other words that mean the same to the encoder", async () => {
    const renamed = new Map<string, string>([
      ["solicitor", "glarnet"],
      ["automobile", "brimvok"],
      ["song", "tolquin"],
      ["attorney", "wexlop"],
      ["vehicle", "drisken"],
      ["tune", "fumbrel"],
    ]);
    const rename = (said: string) => said.replace(/[A-Za-z]+/g, (word) => renamed.get(word.toLowerCase()) ?? word);
    const back = new Map([...renamed].map(([word, other]) => [other, word]));
    const encode = bagOfConcepts((word) => conceptOf(back.get(word) ?? word));
    const other = office.map((each) => ({ ...each, id: rename(each.id.replace("_", " ")).replace(" ", "_") }));
    const shed = other.map((each) => ({ ...each, name: each.id, description: rename(each.description) }));
    await fc.assert(
      fc.asyncProperty(goals, async (goal) => {
        const ids = await toolsOf(goal, office, bagOfConcepts());
        const wanted = ids.map((id) => shed[office.findIndex((each) => each.id === id)]?.id);
        expect(await toolsOf(rename(goal), shed, encode)).toEqual(wanted);
      }),
    );
  });
});
