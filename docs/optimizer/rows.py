"""Loads the rows of a `planloom bench` (rows.csv or rows.parquet) and prints what a notebook would begin with.

    python rows.py planloom-bench/rows.parquet

Needs pandas, and pyarrow for Parquet. Every cell below `# %%` is one of a notebook (Jupyter, VS Code).
"""

# %%
import sys

import numpy as np
import pandas as pd

path = sys.argv[1] if len(sys.argv) > 1 else "planloom-bench/rows.csv"
rows = pd.read_parquet(path) if path.endswith(".parquet") else pd.read_csv(path)

# %% Geometric mean of makespan over bound, by strategy and environment.
ratio = rows.assign(log=np.log(rows["ratio"])).groupby(["environment", "strategy"])["log"]
summary = pd.DataFrame({"mean": np.exp(ratio.mean()), "worst": np.exp(ratio.max()), "plans": ratio.size()})
print(summary.sort_values(["environment", "mean"]).round(4).to_string())

# %% Times faster than one dispatch a task, plan by plan.
makespan = rows.pivot_table(index=["environment", "workload"], columns="strategy", values="makespan_ms")
if "per-task" in makespan:
    faster = makespan.rdiv(makespan["per-task"], axis=0)
    print(np.exp(np.log(faster).groupby("environment").mean()).round(4).to_string())
