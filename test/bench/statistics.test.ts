import {
  type BenchRow,
  comparisons,
  friedman,
  holm,
  indistinguishable,
  makeReport,
  markdownReport,
  meanInterval,
  nemenyi,
  wilcoxonSignedRank,
} from "@planloom/bench";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chiSquaredTail,
  fTail,
  normalTail,
  rangeQuantile,
  rangeTail,
  studentQuantile,
} from "../../packages/bench/src/statistics/distributions.ts";
import { ranksOf } from "../../packages/bench/src/statistics/ranks.ts";

// All figures that are written out here were made by SciPy 1.17.1.

/** Four strategies on 24 plans, rounded so that there are ties. */
const table = [
  [1.63, 1.61, 1.74, 1.61],
  [1.89, 2.1, 2.08, 2.25],
  [1.65, 1.87, 2.08, 1.7],
  [1.2, 1.15, 1.42, 1.0],
  [1.3, 1.33, 1.4, 1.43],
  [1.88, 1.96, 2.02, 1.97],
  [0.93, 1.01, 1.08, 1.19],
  [1.8, 1.91, 2.16, 2.54],
  [1.75, 1.83, 1.93, 1.9],
  [1.43, 1.55, 1.58, 1.56],
  [1.36, 1.44, 1.47, 1.54],
  [1.24, 1.25, 1.39, 1.57],
  [1.25, 1.3, 1.36, 1.41],
  [1.49, 1.44, 1.48, 1.62],
  [1.48, 1.54, 1.65, 1.87],
  [1.55, 1.49, 1.66, 1.89],
  [2.0, 1.99, 2.31, 2.09],
  [1.8, 1.81, 2.04, 2.05],
  [1.56, 1.73, 1.78, 1.87],
  [1.99, 2.12, 2.25, 2.08],
  [1.28, 1.13, 1.3, 1.45],
  [1.08, 1.12, 1.38, 1.16],
  [1.66, 1.7, 1.77, 2.05],
  [1.05, 0.91, 1.21, 1.24],
];

describe("distributions", () => {
  test.for([
    [3.2, 2, 0.2018965179946554],
    [10.5, 3, 0.014760897143990665],
    [27.1, 17, 0.05661743707982606],
    [0.4, 1, 0.5270892568655381],
    [80, 17, 3.835191534442211e-10],
  ] as const)("chi-squared %f with %i degrees", ([x, freedom, expected]) => {
    expect(chiSquaredTail(x, freedom) / expected).toBeCloseTo(1, 9);
  });

  test.for([
    [0.3, 0.6179114221889526],
    [1.96, 0.9750021048517795],
    [-2.5, 0.006209665325776132],
    [4.2, 0.9999866542509841],
  ] as const)("normal %f", ([z, below]) => {
    expect(1 - normalTail(z)).toBeCloseTo(below, 12);
  });

  test.for([
    [0.975, 29, 2.045229642132703],
    [0.975, 9, 2.262157162798205],
    [0.975, 1, 12.706204736174694],
    [0.95, 99, 1.6603911560169906],
    [0.995, 4, 4.604094871349992],
  ] as const)("Student's t, %f of %i degrees", ([share, freedom, expected]) => {
    expect(studentQuantile(share, freedom) / expected).toBeCloseTo(1, 9);
  });

  test("F, far out", () => {
    expect(fTail(33.93914544669833, 3, 69) / 1.3668041441038343e-13).toBeCloseTo(1, 6);
  });

  test.for([
    [3, 2.0, 0.33349932504015],
    [4, 3.633, 0.0500149789953781],
    [10, 3.5, 0.28201643828913625],
    [18, 5.0, 0.04291268749626542],
    [2, 2.77, 0.050149596320254175],
  ] as const)("studentized range of %i, %f", ([count, q, expected]) => {
    expect(rangeTail(q, count)).toBeCloseTo(expected, 7);
  });

  test.for([
    [2, 1.9599639845400534, 1.6448536269514722],
    [3, 2.343700586378409, 2.0522927304967755],
    [5, 2.7277743708703763, 2.4595157642714183],
    [10, 3.163683577053373, 2.9198888400615384],
    [18, 3.4886847993791976, 3.2614614896472762],
    [20, 3.5437991315177815, 3.319233059548415],
  ] as const)("the constants of Nemenyi's test for %i strategies", ([count, five, ten]) => {
    expect(rangeQuantile(0.05, count) / Math.SQRT2).toBeCloseTo(five, 7);
    expect(rangeQuantile(0.1, count) / Math.SQRT2).toBeCloseTo(ten, 7);
  });
});

describe("Wilcoxon's signed-rank test", () => {
  const column = (at: number) => table.map((row) => row[at]!);
  const differences = column(0).map((value, at) => Number((value - column(1)[at]!).toFixed(2)));

  test("counted where nothing is equal", () => {
    const ten = [1.5, -0.2, 2.1, 3.3, -0.7, 0.9, 4.2, 1.1, -1.3, 2.6];
    expect(wilcoxonSignedRank(ten)).toEqual({ statistic: 8, p: 0.048828125, count: 10 });
    expect(wilcoxonSignedRank([0.3, -0.1, 0.2, 0.5, -0.4, 0.6])).toEqual({ statistic: 5, p: 0.3125, count: 6 });
  });

  test("counted where some are equal, too; zeros are dropped", () => {
    // SciPy's wilcoxon with PermutationMethod over all signs.
    expect(wilcoxonSignedRank([1, 1, -1, 2])).toEqual({ statistic: 2, p: 0.5, count: 4 });
    expect(wilcoxonSignedRank([2, 2, 2, -1, 3, 3])).toEqual({ statistic: 1, p: 0.0625, count: 6 });
    const some = [0.3, -0.1, 0.2, 0.5, -0.2, 0.6, 0, 0.3, 0.7, -0.3, 0.8, 0.9, 0.4, 0.1];
    const { statistic, p, count } = wilcoxonSignedRank(some);
    expect([statistic, count]).toEqual([11, 13]);
    expect(p).toBeCloseTo(0.013427734375, 12);
    const paired = wilcoxonSignedRank(differences);
    expect(paired.statistic).toBe(76.5);
    // By counting the signs in exact numbers; SciPy's permutations come to 0.0344 as well.
    expect(paired.p).toBeCloseTo(0.034442782402038574, 12);
  });

  test("normal beyond fifty, corrected for ties", () => {
    const many = wilcoxonSignedRank(Array.from({ length: 70 }, (_, at) => ((at * 7) % 13) - 5));
    expect([many.statistic, many.count]).toEqual([806.5, 65]);
    expect(many.p).toBeCloseTo(0.08121875941356056, 10);
  });

  test("nothing that differs is no difference", () => {
    expect(wilcoxonSignedRank([0, 0])).toEqual({ statistic: 0, p: 1, count: 0 });
  });

  test("turning all signs changes nothing, and a chance is one", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 70 }), (values) => {
        const { p } = wilcoxonSignedRank(values);
        expect(wilcoxonSignedRank(values.map((each) => -each)).p).toBeCloseTo(p, 12);
        expect(p >= 0 && p <= 1).toBe(true);
      }),
    );
  });

  test("Holm raises the least chance most and keeps the order", () => {
    expect(holm([0.04, 0.01, 0.03])).toEqual([0.06, 0.03, 0.06]);
    expect(holm([0.5, 0.6])).toEqual([1, 1]);
  });
});

describe("Friedman's test and Nemenyi's", () => {
  const result = friedman(table);

  test("agree with SciPy on a table with ties", () => {
    expect(result.statistic).toBeCloseTo(42.91631799163181, 10);
    expect(result.p / 2.563767957088293e-9).toBeCloseTo(1, 8);
    expect(result.f).toBeCloseTo(33.93914544669833, 9);
    expect(result.ranks).toEqual([1.4166666666666667, 1.8958333333333333, 3.2916666666666665, 3.3958333333333335]);
    // 2.569031772546482 * sqrt(4 * 5 / (6 * 24))
    expect(result.criticalDifference).toBeCloseTo(0.9574216132951187, 9);
    expect(nemenyi(result, 0, 1)).toBeGreaterThan(0.05);
    expect(nemenyi(result, 1, 2)).toBeLessThan(0.05);
  });

  test("the bars join what is not distinguished", () => {
    expect(indistinguishable(result)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    const chain = { ...result, ranks: [1, 1.8, 2.6, 5], criticalDifference: 1 };
    expect(indistinguishable(chain)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  test("strategies that are always equal do not differ", () => {
    expect(
      friedman([
        [1, 1],
        [2, 2],
      ]),
    ).toMatchObject({ statistic: 0, p: 1, ranks: [1.5, 1.5] });
  });
});

test("equal values share their rank, and the last digit of a sum is none", () => {
  expect(ranksOf([3, 1, 3, 2])).toEqual([3.5, 1, 3.5, 2]);
  expect(ranksOf([0.1 + 0.2, 0.3])).toEqual([1.5, 1.5]);
});

test("the interval of a mean", () => {
  // scipy.stats.t.interval(0.95, 3, mean, sem)
  const { mean, halfWidth } = meanInterval([1, 2, 3, 4]);
  expect(mean).toBe(2.5);
  expect(halfWidth).toBeCloseTo(2.0542602567605, 10);
  expect(meanInterval([1]).halfWidth).toBe(Number.POSITIVE_INFINITY);
});

test("a comparison takes means over seeds, leaves out who lost rows, and is in the report", () => {
  const rows = table.flatMap((values, plan) =>
    values.flatMap((makespanMs, at) =>
      (at === 3 ? [0, 1] : [0]).map((seed) => ({
        workload: `plan ${plan}`,
        environment: "here",
        strategy: "abcd"[at]!,
        seed,
        makespanMs: seed === 0 ? makespanMs * 0.9 : makespanMs * 1.1,
      })),
    ),
  );
  const some = rows.map((row) => ({
    ...row,
    makespanMs: row.strategy === "d" ? row.makespanMs : row.makespanMs / 0.9,
  }));
  const lost = some.filter((row) => row.strategy !== "c" || row.workload !== "plan 3");
  const [whole] = comparisons(some as unknown as BenchRow[]);
  expect(whole).toMatchObject({
    environment: "here",
    plans: 24,
    missing: [],
    groups: [
      ["a", "b"],
      ["c", "d"],
    ],
  });
  expect(whole!.strategies.map(({ strategy }) => strategy)).toEqual(["a", "b", "c", "d"]);
  expect(whole!.strategies[0]).toMatchObject({ over: { mean: 1, low: 1, high: 1 } });
  const { over, p } = whole!.strategies[2]!;
  expect(over.low).toBeGreaterThan(1);
  expect(p).toBeLessThan(0.001);
  expect(comparisons(lost as unknown as BenchRow[])[0]).toMatchObject({ missing: ["c"] });
  expect(markdownReport(makeReport({ rows: complete(some) }))).toMatch(
    /## Differences, here\n\n24 plans, makespan\. Friedman chi-squared 42\.9.*Not told apart: a, b; c, d\./,
  );
  expect(comparisons(some.filter((row) => row.workload === "plan 1") as unknown as BenchRow[])).toEqual([]);
});

/** Rows with all that a report needs. */
function complete(rows: readonly object[]): BenchRow[] {
  const noisyMs = { "0.3": 1, "1": 1 };
  return rows.map(
    (row) =>
      ({
        family: "f",
        tasks: 3,
        ratio: 1,
        boundMs: 1,
        boundBy: "LB1",
        dispatches: 1,
        optimizeMs: 1,
        noisyMs,
        ...row,
      }) as BenchRow,
  );
}
