"""Proves with CP-SAT how early a plan can end in subgraphs that are dispatched whole: reads one plan of JSON a line, prints what was proved and found, for test/bench/optimizer-optimum.ts.
Needs the package ortools. Times are whole numbers, rounded down, so what is proved holds for the plan as it is."""

import json
import sys

from ortools.sat.python import cp_model


def solve(plan):
    work, executors, overhead = plan["work"], plan["executors"], plan["overhead"]
    n, latest = len(work), plan["latest"]
    model = cp_model.CpModel()
    end = model.NewIntVar(plan["bound"], latest, "")
    on = [[model.NewBoolVar("") for _ in range(executors)] for _ in range(n)]
    executor = [model.NewIntVar(0, executors - 1, "") for _ in range(n)]
    # By task: its own start, and start and end of the part that holds it.
    starts, part_starts, part_ends = ([model.NewIntVar(0, latest, "") for _ in range(n)] for _ in range(3))
    for v in range(n):
        model.AddExactlyOne(on[v])
        model.Add(executor[v] == sum(e * on[v][e] for e in range(executors)))
        model.Add(starts[v] >= part_starts[v] + overhead)
        model.Add(part_ends[v] >= starts[v] + work[v])
        model.Add(end >= part_ends[v])
    for e in range(executors):
        model.AddNoOverlap([model.NewOptionalFixedSizeIntervalVar(starts[v], work[v], on[v][e], "") for v in range(n)])
    edges = {(u, v) for u, v in plan["edges"]}
    for u in range(n):
        for v in range(u + 1, n):
            same, before, after, apart = (model.NewBoolVar("") for _ in range(4))
            model.AddExactlyOne([same, before, after, apart])
            model.Add(part_starts[u] == part_starts[v]).OnlyEnforceIf(same)
            model.Add(part_ends[u] == part_ends[v]).OnlyEnforceIf(same)
            model.Add(executor[u] == executor[v]).OnlyEnforceIf(same)
            model.Add(executor[u] != executor[v]).OnlyEnforceIf(apart)
            model.Add(part_ends[u] <= part_starts[v]).OnlyEnforceIf(before)
            model.Add(part_ends[v] <= part_starts[u]).OnlyEnforceIf(after)
            for first, second in ((u, v), (v, u)):
                if (first, second) not in edges:
                    continue
                waits = model.NewBoolVar("")
                model.AddBoolOr([same, waits])
                model.Add(part_ends[first] <= part_starts[second]).OnlyEnforceIf(waits)
                model.Add(starts[first] + work[first] <= starts[second])
    for v, (start, begun, ended, place) in enumerate(plan["known"]):
        for variable, value in zip((starts[v], part_starts[v], part_ends[v], executor[v]), (start, begun, ended, place)):
            model.AddHint(variable, value)
    model.Minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = plan["seconds"]
    solver.parameters.num_workers = plan["threads"]
    status = solver.Solve(model)
    found = solver.ObjectiveValue() if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None
    return {"proved": max(plan["bound"], solver.BestObjectiveBound()), "found": found}


for line in sys.stdin:
    print(json.dumps(solve(json.loads(line))), flush=True)
