"""Schedules with SAGA what comes in, one instance of JSON a line, and prints the makespans, for test/bench/saga.ts. Needs the package anrg-saga.

SAGA keeps tasks and machines in sets, and of equals takes whichever a set gives first: another one in each process. With the word "ordered" its sets are gone
through in the order of names instead, and every process gives the same."""

import json
import logging
import sys

import networkx
from saga import Network, TaskGraph
from saga import schedulers as known

logging.disable(logging.CRITICAL)
ORDERED = "ordered" in sys.argv[1:]
NAMES = {
    "heft": "HeftScheduler",
    "cpop": "CpopScheduler",
    "peft": "PEFTScheduler",
    "min-min": "MinMinScheduler",
    "max-min": "MaxMinScheduler",
    "etf": "ETFScheduler",
}
schedulers = {name: getattr(known, of)() for name, of in NAMES.items() if hasattr(known, of)}
if ORDERED:
    etf = schedulers["etf"]
    start_times = etf._get_start_times

    def start_times_in_order(placed, tasks, nodes, *others, **named):
        return start_times(placed, sorted(tasks), sorted(nodes), *others, **named)

    etf._get_start_times = start_times_in_order


def in_order(model, *fields):
    """The same with sorted lists in the place of sets."""
    if ORDERED:
        for field in fields:
            model.__dict__[field] = sorted(getattr(model, field))
    return model


for line in sys.stdin:
    given = json.loads(line)
    # Names of one length, so that they are in the order of the numbers where SAGA compares them.
    tasks = networkx.DiGraph()
    for at, work in enumerate(given["work"]):
        tasks.add_node(f"T{at:04}", weight=work)
    for source, target, size in given["edges"]:
        tasks.add_edge(f"T{source:04}", f"T{target:04}", weight=size)
    network = networkx.Graph()
    speeds = given["speeds"]
    for at, speed in enumerate(speeds):
        network.add_node(f"N{at:04}", weight=speed)
        network.add_edge(f"N{at:04}", f"N{at:04}", weight=1e9)
    for at in range(len(speeds)):
        for other in range(at):
            network.add_edge(f"N{at:04}", f"N{other:04}", weight=given["rates"][at][other])
    graph = in_order(TaskGraph.from_nx(tasks), "tasks", "dependencies")
    net = in_order(Network.from_nx(network), "nodes", "edges")
    ends = {}
    for name, scheduler in schedulers.items():
        schedule = scheduler.schedule(net, graph)
        ends[name] = max(task.end for _, row in schedule.items() for task in row)
    print(json.dumps(ends), flush=True)
