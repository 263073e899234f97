"""Schedules with SAGA what comes in, one instance of JSON a line, and prints the makespans, for test/bench/saga.ts. Needs the package anrg-saga."""

import json
import logging
import sys

import networkx
from saga import Network, TaskGraph
from saga import schedulers as known

logging.disable(logging.CRITICAL)
NAMES = {
    "heft": "HeftScheduler",
    "cpop": "CpopScheduler",
    "peft": "PEFTScheduler",
    "min-min": "MinMinScheduler",
    "max-min": "MaxMinScheduler",
    "etf": "ETFScheduler",
}
schedulers = {name: getattr(known, of)() for name, of in NAMES.items() if hasattr(known, of)}

for line in sys.stdin:
    given = json.loads(line)
    tasks = networkx.DiGraph()
    for at, work in enumerate(given["work"]):
        tasks.add_node(f"T{at}", weight=work)
    for source, target, size in given["edges"]:
        tasks.add_edge(f"T{source}", f"T{target}", weight=size)
    network = networkx.Graph()
    speeds = given["speeds"]
    for at, speed in enumerate(speeds):
        network.add_node(f"N{at}", weight=speed)
        network.add_edge(f"N{at}", f"N{at}", weight=1e9)
    for at in range(len(speeds)):
        for other in range(at):
            network.add_edge(f"N{at}", f"N{other}", weight=given["rates"][at][other])
    graph, net = TaskGraph.from_nx(tasks), Network.from_nx(network)
    ends = {}
    for name, scheduler in schedulers.items():
        schedule = scheduler.schedule(net, graph)
        ends[name] = max(task.end for _, row in schedule.items() for task in row)
    print(json.dumps(ends), flush=True)
