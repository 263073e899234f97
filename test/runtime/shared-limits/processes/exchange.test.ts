import { describe, expect, test } from "vitest";
import type { LeaseOwner } from "../../../../packages/runtime/src/journal/lease.ts";
import type { Observer } from "../../../../packages/runtime/src/journal/process-identity.ts";
import {
  type Arena,
  parseArena,
  type WaitRequest,
} from "../../../../packages/runtime/src/shared-limits/processes/arena.ts";
import {
  type ExchangeAnswer,
  type ExchangeRequest,
  exchange,
  offerMs,
} from "../../../../packages/runtime/src/shared-limits/processes/exchange.ts";

const boot = "boot-1";
const pids: Readonly<Record<string, number>> = { a: 1, b: 2, c: 3 };

/** Processes a, b and c over one arena; each knows what it uses. */
function processes() {
  let now = 1_000;
  let arena: Arena = parseArena(undefined);
  const dead = new Set<number>();
  const here: Observer = {
    host: "host",
    pid: 99,
    process: { boot, started: "0", thread: 0 },
    monotonicMs: () => now,
    exists: (pid) => !dead.has(pid),
    startOf: () => "1",
    holds: () => false,
  };
  const ask = (member: string, more: Partial<ExchangeRequest> = {}): ExchangeAnswer => {
    const owner: LeaseOwner = {
      token: member,
      host: "host",
      pid: pids[member]!,
      process: { boot, started: "1", thread: 0 },
    };
    const request: ExchangeRequest = {
      member,
      owner,
      joined: arena.members[member] !== undefined,
      holds: [],
      waits: [],
      expected: [],
      entrants: [],
      started: [],
      keepIdle: true,
      checkOthers: false,
      accounts: [],
      leave: false,
      ...more,
    };
    const next = structuredClone(arena);
    const answer = exchange(next, request, here);
    arena = parseArena(JSON.stringify(next));
    return answer;
  };
  return {
    ask,
    kill: (member: string) => dead.add(pids[member]!),
    wait: (ms: number) => {
      now += ms;
    },
    arena: () => arena,
  };
}

const wait = (tenant: string, count: number, capacity = 2): WaitRequest => ({
  key: JSON.stringify([tenant, "tool:x"]),
  tenant,
  needs: [["all x", capacity]],
  count,
});
const used = (count: number, idle = 0) => [{ pool: "all x", used: count, idle }];
const rated = (count: number): WaitRequest => ({ key: "[rated]", tenant: "", needs: [["rate", 2, 100]], count });

describe("units of a limit", () => {
  test("one process alone gets all; what it does not use comes back when another asks", () => {
    const { ask, arena } = processes();
    expect(ask("a", { waits: [wait("t", 1, 5)] })).toMatchObject({
      granted: [[expect.anything(), 1]],
      extra: [["all x", 4]],
    });
    const asked = ask("b", { waits: [wait("t", 1, 5)] });
    expect(asked).toMatchObject({ granted: [], extra: [], notify: true });
    const reported = ask("a", { holds: used(1, 4) });
    expect(reported).toMatchObject({ givenBack: ["all x"], notify: true });
    expect(reported.contested.has("all x")).toBe(false);
    expect(ask("b", { waits: [wait("t", 1, 5)] })).toMatchObject({ granted: [[expect.anything(), 1]] });
    expect(arena().pools["all x"]!.held).toMatchObject({ a: 1 });
  });

  test("those who wait are let in by turns of tenants, then of processes", () => {
    const { ask } = processes();
    ask("a", { waits: [wait("flood", 50, 1)] });
    ask("b", { waits: [wait("flood", 50, 1)], holds: [] });
    ask("c", { waits: [wait("small", 50, 1)], holds: [] });
    const order: string[] = [];
    let holder = "a";
    const waits: Record<string, WaitRequest> = {
      a: wait("flood", 50, 1),
      b: wait("flood", 50, 1),
      c: wait("small", 50, 1),
    };
    for (let turn = 0; turn < 40; turn++) {
      const own = ask(holder, { waits: [waits[holder]!] }).granted.length > 0;
      if (!own)
        holder = ["a", "b", "c"].find(
          (name) => name !== holder && ask(name, { waits: [waits[name]!] }).granted.length > 0,
        )!;
      order.push(holder);
    }
    expect(order.filter((name) => name === "c").length).toBe(20);
    expect(order.filter((name) => name === "a").length).toBe(10);
    expect(order.filter((name) => name === "b").length).toBe(10);
  });

  test("within a tenant the process with the strongest claim is let in, every fourth time the one that had least for its weight", () => {
    const { ask } = processes();
    const claims = { a: [0, null, 1], b: [1, null, 1], c: [1, 5, 1] } as const;
    const waits = (name: keyof typeof claims) => [{ ...wait("t", 50, 1), claim: claims[name] }];
    const names = ["a", "b", "c"] as const;
    let holder: keyof typeof claims = "a";
    for (const name of names) ask(name, { waits: waits(name) });
    const order: string[] = [];
    for (let turn = 0; turn < 16; turn++) {
      const own = ask(holder, { waits: waits(holder) }).granted.length > 0;
      if (!own) holder = names.find((name) => name !== holder && ask(name, { waits: waits(name) }).granted.length > 0)!;
      order.push(holder);
    }
    expect(order.join(" ")).toBe("c c b c c c a c c c b c c c a c");
  });

  test("processes take turns for the weight of their runs", () => {
    const { ask } = processes();
    const waits = { a: [{ ...wait("t", 50, 1), claim: [0, null, 3] as const }], b: [wait("t", 50, 1)] };
    let holder: "a" | "b" = "a";
    ask("a", { waits: waits.a });
    ask("b", { waits: waits.b });
    const order: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      if (ask(holder, { waits: waits[holder] }).granted.length === 0) {
        holder = holder === "a" ? "b" : "a";
        ask(holder, { waits: waits[holder] });
      }
      order.push(holder);
    }
    expect(order.filter((name) => name === "a")).toHaveLength(30);
  });

  test("tenants take turns for their weights, over all processes, and within one every fourth turn goes by weight alone", () => {
    const { ask } = processes();
    const rich = { ...wait("rich", 50, 1), weight: 3 };
    const waits = {
      a: [{ ...rich, claim: [1, null, 1] as const }],
      b: [rich],
      c: [{ ...wait("poor", 50, 1) }],
    };
    const names = ["a", "b", "c"] as const;
    for (const name of names) ask(name, { waits: waits[name] });
    const order: string[] = [];
    let holder: keyof typeof waits = "a";
    for (let turn = 0; turn < 64; turn++) {
      const own = ask(holder, { waits: waits[holder] }).granted.length > 0;
      if (!own) holder = names.find((name) => name !== holder && ask(name, { waits: waits[name] }).granted.length > 0)!;
      order.push(holder);
    }
    expect(order.filter((name) => name === "c")).toHaveLength(16);
    expect(order.filter((name) => name === "b")).toHaveLength(12);
  });

  test("calls that a process lets in by itself while others wait are turns, too", () => {
    const { ask } = processes();
    ask("a", { waits: [wait("flood", 9, 1)] });
    ask("b", { waits: [wait("small", 9, 1)] });
    ask("a", { holds: used(1), waits: [wait("flood", 9, 1)] });
    // It has made eight more calls with the slot that it had.
    const reported = ask("a", { waits: [wait("flood", 9, 1)], started: [wait("flood", 8, 1)] });
    expect(reported.granted).toEqual([]);
    for (let turn = 0; turn < 8; turn++) expect(ask("b", { waits: [wait("small", 9, 1)] }).granted).toHaveLength(1);
  });

  /** Processes with a chain each under a limit of one: a call of each ends before the next is asked for. @returns who makes the calls */
  const playChains = (claims: Readonly<Record<string, WaitRequest["claim"]>>, calls: number) => {
    const { ask, wait: pass } = processes();
    const names = Object.keys(claims);
    const next = (name: string) => [{ ...wait("t", 1, 1), ...(claims[name] && { claim: claims[name] }) }];
    for (const name of names) {
      pass(1);
      ask(name, { waits: next(name) });
    }
    const made = [names[0]!];
    while (made.length < calls) {
      const last = made.at(-1)!;
      pass(1);
      const { keeps } = ask(last, { expected: next(last) });
      const asked = ask(last, { waits: next(last) });
      expect(asked.granted.length > 0).toBe(keeps);
      made.push(
        keeps ? last : names.find((name) => name !== last && ask(name, { waits: next(name) }).granted.length > 0)!,
      );
    }
    return made;
  };
  const shareOfA = (made: readonly string[]) => made.filter((name) => name === "a").length / made.length;

  test("a call that is asked for a moment after another ended has its turn as if it had waited", () => {
    expect(shareOfA(playChains({ a: [0, null, 3], b: undefined }, 80))).toBeCloseTo(0.75, 1);
    expect(shareOfA(playChains({ a: [0, null, 3], b: undefined, c: [0, null, 2] }, 120))).toBeCloseTo(0.5, 1);
    expect(shareOfA(playChains({ a: [1, null, 1], b: undefined }, 80))).toBeCloseTo(0.75, 1);
    expect(shareOfA(playChains({ a: undefined, b: undefined }, 80))).toBeCloseTo(0.5, 1);
    const none = { a: undefined, b: undefined, c: undefined };
    expect(playChains(none, 9)).toEqual([..."abcabcabc"]);
  });

  test("what is kept for a call that is expected goes to others if it is not asked for, and nothing is kept where nobody waits", () => {
    const { ask, arena } = processes();
    const mine = { ...wait("t", 1, 1), claim: [0, null, 3] as const };
    ask("a", { waits: [mine] });
    expect(ask("a", { expected: [mine] })).toMatchObject({ keeps: false });
    expect(arena().pools).toEqual({});
    ask("a", { waits: [mine] });
    ask("b", { waits: [wait("t", 1, 1)] });
    for (let call = 0; call < 8; call++) {
      if (ask("a", { expected: [mine] }).keeps) break;
      ask("b", { waits: [wait("t", 1, 1)] });
      ask("a", { waits: [mine] });
      ask("b", {});
      ask("a", { waits: [mine] });
      ask("b", { waits: [wait("t", 1, 1)] });
    }
    expect(arena().pools["all x"]!.held).toEqual({ a: 1 });
    expect(ask("b", { waits: [wait("t", 1, 1)] }).granted).toEqual([]);
    ask("a");
    expect(ask("b", { waits: [wait("t", 1, 1)] }).granted).toHaveLength(1);
  });

  test("a process that comes back does not make up for what a priority gave it, and is not owed what it did not want", () => {
    const { ask } = processes();
    const first = { ...wait("t", 99, 1), claim: [1, null, 1] as const };
    const plain = wait("t", 99, 1);
    ask("a", { waits: [first] });
    ask("b", { waits: [plain] });
    for (let turn = 0; turn < 40; turn++) ask("a", { waits: [first], holds: [] });
    for (let turn = 0; turn < 40; turn++) ask("b", { waits: [plain], holds: [] });
    // It has had 30 turns more than b, and now has no more of a claim than b has.
    ask("a", {});
    const order: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      for (const name of ["a", "b"]) if (ask(name, { waits: [plain] }).granted.length > 0) order.push(name);
    }
    expect(Math.abs(shareOfA(order.slice(0, 10)) - 0.5)).toBeLessThan(0.21);
  });

  test("what a dead process held and was offered is free; a silent one that may live keeps it", () => {
    const { ask, kill, arena } = processes();
    ask("a", { waits: [wait("t", 2)] });
    ask("b", { waits: [wait("t", 1)] });
    ask("b", { waits: [wait("t", 1)], checkOthers: true });
    expect(arena().pools["all x"]!.held).toEqual({ a: 2 });
    kill("a");
    expect(ask("b", { waits: [wait("t", 1)], checkOthers: true })).toMatchObject({
      granted: [[expect.anything(), 1]],
      dead: [["a", []]],
    });
    expect(Object.keys(arena().members)).toEqual(["b"]);
  });

  test("an offer that a stopped process does not take up goes to another", () => {
    const { ask, wait: pass, arena } = processes();
    ask("a", { waits: [wait("t", 2)] });
    ask("b", { waits: [wait("t", 2)] });
    ask("c", { waits: [wait("t", 2)] });
    ask("a", {});
    expect(arena().pools["all x"]!.held).toEqual({ b: 1, c: 1 });
    pass(offerMs + 1);
    expect(ask("c", { waits: [wait("t", 2)] }).granted).toEqual([[wait("t", 1).key, 2]]);
    expect(arena().pools["all x"]!.held).toEqual({ c: 2 });
    // It goes on, and asks again: it has not got what it was offered.
    expect(ask("b", { waits: [wait("t", 2)] }).granted).toEqual([]);
  });

  test("a process that was taken for dead counts what it uses, and has lost what was idle", () => {
    const { ask, kill, arena } = processes();
    ask("a", { waits: [wait("t", 2)] });
    kill("a");
    ask("b", { waits: [wait("t", 2)], checkOthers: true });
    const back = ask("a", { joined: true, holds: used(1, 1) });
    expect(back).toMatchObject({ forgotten: true, givenBack: ["all x"] });
    expect(arena().pools["all x"]!.held).toEqual({ a: 1, b: 2 });
    // More are used than there are, so nobody gets any until fewer are.
    expect(ask("b", { holds: used(1), waits: [wait("t", 1)] }).granted).toEqual([]);
  });

  test("a call takes all that it needs, or nothing", () => {
    const { ask, arena } = processes();
    const both = (tenant: string): WaitRequest => ({
      ...wait(tenant, 1, 1),
      needs: [
        ["p", 1],
        ["q", 1],
      ],
    });
    const one = (tenant: string, pool: string): WaitRequest => ({
      key: `[${pool}]`,
      tenant,
      needs: [[pool, 1]],
      count: 1,
    });
    ask("a", { waits: [one("t", "p")], keepIdle: false });
    expect(ask("b", { waits: [both("u")], keepIdle: false }).granted).toEqual([]);
    expect(ask("c", { waits: [one("v", "q")], keepIdle: false }).granted).toHaveLength(1);
    expect(arena().pools).toMatchObject({ p: { held: { a: 1 } }, q: { held: { c: 1 } } });
  });
});

describe("permissions of a rate", () => {
  test("one that was used comes back after the interval, whoever used it", () => {
    const { ask, wait: pass } = processes();
    expect(ask("a", { waits: [rated(2)] }).granted).toEqual([["[rated]", 2]]);
    const blocked = ask("b", { waits: [rated(1)] });
    expect(blocked).toMatchObject({ granted: [], notify: true });
    // It used both at 1,000 and has them back at 1,100.
    ask("a", { holds: [{ pool: "rate", used: 0, idle: 2, times: [1_100, 1_100], intervalMs: 100 }] });
    expect(ask("b", { waits: [rated(1)] })).toMatchObject({ granted: [], retryAtMs: 1_100 });
    pass(99);
    expect(ask("b", { waits: [rated(1)] }).granted).toEqual([]);
    pass(1);
    expect(ask("b", { waits: [rated(1)] }).granted).toEqual([["[rated]", 1]]);
  });

  test("those of a process that died may have been used a moment ago", () => {
    const { ask, kill, wait: pass } = processes();
    ask("a", { waits: [rated(2)] });
    kill("a");
    pass(50);
    expect(ask("b", { waits: [rated(1)], checkOthers: true })).toMatchObject({ granted: [], retryAtMs: 1_150 });
    pass(100);
    expect(ask("b", { waits: [rated(1)] }).granted).toEqual([["[rated]", 1]]);
  });
});
