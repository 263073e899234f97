/**
 * Answers as models give them and should not: right groups in the wrong wrapping, wrong groups in the right one, and no groups at
 * all. Seeded; the same number gives the same answer on every machine.
 */
export type GarbageKind = (typeof garbageKinds)[number];

export const garbageKinds = [
  "defective groups",
  "other shapes",
  "prose around",
  "broken JSON",
  "cut off",
  "mangled",
  "several answers",
  "no JSON",
  "hostile",
] as const;

type Draw = () => number;

const hostileIds = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  " ",
  "\u0000",
  "t\u200b1",
  "𝕥1",
  "../t1",
];
const refusals = [
  "I'm sorry, but I can't help with grouping these tasks.",
  "As a language model I would suggest running everything in parallel.",
  "| group | tasks |\n|---|---|\n| 1 | t0, t1 |\n| 2 | t2 |",
  "- Group A: t0, t1\n- Group B: t2, t3",
  "<thinking>t0 depends on t1, or does it?</thinking>",
  "null",
  "undefined",
  "[]",
  "{}",
  "42",
  '"groups"',
  "NaN",
  "\ufeff",
  "```json\n```",
];

/** One answer about the tasks with these ids. */
export function garbageReply(ids: readonly string[], seed: number): { kind: GarbageKind; text: string } {
  const draw = drawing(seed);
  const kind = pick(draw, garbageKinds);
  return { kind, text: makers[kind](ids, draw) };
}

const makers: Readonly<Record<GarbageKind, (ids: readonly string[], draw: Draw) => string>> = {
  "defective groups": (ids, draw) => JSON.stringify({ groups: defective(ids, draw) }),
  "other shapes": (ids, draw) => JSON.stringify(misshapen(ids, draw)),
  "prose around": (ids, draw) => {
    const json = JSON.stringify({ groups: defective(ids, draw) }, null, draw() < 0.5 ? 2 : undefined);
    const wrapped = draw() < 0.5 ? `\`\`\`json\n${json}\n\`\`\`` : json;
    return `Sure! Here {is} the [optimal] grouping:\n\n${wrapped}\n\nNote that t1 "waits" for t0 {as asked}.`;
  },
  "broken JSON": (ids, draw) => {
    const json = JSON.stringify({ groups: defective(ids, draw) });
    return pick(draw, [
      () => json.replaceAll('"', "'"),
      () => json.replaceAll("]", ",]").replaceAll("}", ",}"),
      () => json.replaceAll('"taskIds"', "taskIds"),
      () => json.replace("[", "[ // the groups\n"),
      () => json.replaceAll(",", " "),
      () => json.replaceAll('"', "“"),
      () => json.replaceAll(":", "=>"),
    ])();
  },
  "cut off": (ids, draw) => {
    const json = JSON.stringify({ groups: defective(ids, draw) });
    return json.slice(0, Math.floor(draw() * json.length));
  },
  mangled: (ids, draw) => {
    const text = [...JSON.stringify({ groups: defective(ids, draw) })];
    for (let times = 1 + Math.floor(draw() * 8); times > 0; times--) {
      const at = Math.floor(draw() * text.length);
      const other = String.fromCharCode(32 + Math.floor(draw() * 95));
      text.splice(at, draw() < 0.6 ? 1 : 0, ...(draw() < 0.6 ? [other] : []));
    }
    return text.join("");
  },
  "several answers": (ids, draw) =>
    Array.from({ length: 2 + Math.floor(draw() * 3) }, () => JSON.stringify({ groups: defective(ids, draw) })).join(
      pick(draw, ["\n", "\nOr rather:\n", "", ","]),
    ),
  "no JSON": (ids, draw) =>
    draw() < 0.5
      ? pick(draw, refusals)
      : Array.from({ length: Math.floor(draw() * 80) }, () =>
          draw() < 0.2 ? pick(draw, ids) : String.fromCharCode(Math.floor(draw() * 0x2fff)),
        ).join(pick(draw, ["", " ", '","'])),
  hostile: (ids, draw) => {
    const deep = Math.floor(draw() * 3000);
    return pick(draw, [
      () => `{"groups":${"[".repeat(deep)}"${pick(draw, ids)}"${"]".repeat(deep)}}`,
      () => `{"groups":[{"__proto__":{"taskIds":["${pick(draw, ids)}"]},"taskIds":["__proto__"]}]}`,
      () => JSON.stringify({ groups: [{ taskIds: [...hostileIds, ...ids, ...hostileIds] }] }),
      () => `{"groups":[{"taskIds":["${"t".repeat(deep)}"]}],"groups":[{"taskIds":["${pick(draw, ids)}"]}]}`,
      () => `{"groups":[{"taskIds":[1e309,-0,${Math.floor(draw() * 1e9)},"${pick(draw, ids)}"]}]}`,
      () => JSON.stringify({ groups: Array.from({ length: 500 }, () => ({ taskIds: [pick(draw, ids)] })) }),
      () => `${"{".repeat(deep)}${"}".repeat(deep)}`,
    ])();
  },
};

/** Groups of which some tasks are missing, doubled or invented, under one of the names that models give the list. */
function defective(ids: readonly string[], draw: Draw): unknown[] {
  const count = 1 + Math.floor(draw() * ids.length);
  const groups = Array.from({ length: count }, (): unknown[] => []);
  for (const id of ids) {
    if (draw() < 0.1) continue;
    pick(draw, groups).push(id);
    if (draw() < 0.1) pick(draw, groups).push(id);
    if (draw() < 0.1) pick(draw, groups).push(pick(draw, [`${id}x`, "t999", ...hostileIds, null, 3, { id }]));
  }
  const key = draw() < 0.6 ? "taskIds" : pick(draw, ["task_ids", "tasks", "members"]);
  return groups.map((list, at) => ({
    id: `g${at}`,
    [key]: list,
    depends_on: [`g${(at + 1) % count}`],
    reason: "fast",
  }));
}

function misshapen(ids: readonly string[], draw: Draw): unknown {
  const groups = defective(ids, draw);
  return pick(draw, [
    () => groups,
    () => ids.map((id) => [id]),
    () => ({ groups: Object.fromEntries(groups.map((group, at) => [at, group])) }),
    () => ({ groups: ids.join(", ") }),
    () => ({ result: { groups } }),
    () => ({ groups: [groups, groups] }),
    () => ({ part: ids.map(() => Math.floor(draw() * 9) - 2), count: Math.floor(draw() * 9) }),
    () => ({ part: ids.map(() => draw() * 3), count: ids.length }),
    () => ({ part: ids.map((_, at) => at + (draw() < 0.5 ? 0 : 2 ** 40)), count: 2 ** 50 }),
    () => ({ part: ids.map((_, at) => at), count: ids.length, order: ids.map((_, at) => ids.length - at) }),
    () => ({ groups: ids.map((id) => ({ taskIds: id })) }),
    () => ({ groups: [{ taskIds: { 0: ids[0], length: 1 } }] }),
  ])();
}

function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[Math.floor(draw() * items.length)]!;
}

/** Numbers in [0, 1) (mulberry32). */
function drawing(seed: number): Draw {
  let state = Math.imul(seed + 1, 0x9e3779b9) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
