"""Parts by METIS for what comes in, one graph of JSON a line, and prints the part of each vertex, for test/bench/metis.ts. Needs the package pymetis."""

import json
import sys

import pymetis

for line in sys.stdin:
    given = json.loads(line)
    adjacency = pymetis.CSRAdjacency(given["pointers"], given["neighbours"])
    options = pymetis.Options(ufactor=30, seed=1, niter=10)
    if given["objective"] == "vol":
        options.objtype = 1
    _, parts = pymetis.part_graph(given["parts"], adjacency=adjacency, options=options, recursive=False)
    print(json.dumps(list(parts)), flush=True)
