"""Runs one DAG file with one Python peer, in a process of its own, and prints what it took as JSON:
`python run_peer.py PEER DAG.json ROUNDS CONCURRENCY SECONDS`, as run-peer.mjs does."""

import asyncio
import json
import logging
import resource
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

logging.disable(logging.CRITICAL)
peer, file, rounds, concurrency, seconds = sys.argv[1:6]
dag = json.loads(Path(file).read_text())
parents, durations = dag["parents"], dag.get("durations")
at_once = int(concurrency) or len(parents)
done = 0


async def work(task):
    global done
    if durations:
        await asyncio.sleep(durations[task] / 1000)
    done += 1


async def chuk():
    """Executes its steps one after another, in topological order."""
    from chuk_ai_planner.core.planner.universal_plan import UniversalPlan
    from chuk_ai_planner.core.planner.universal_plan_executor import UniversalExecutor
    from chuk_ai_planner.execution.models import ToolExecutionResult

    class Backend:
        async def execute_tool(self, request):
            await work(request.args["task"])
            return ToolExecutionResult(tool_name=request.tool_name)

    executor = UniversalExecutor(tool_backend=Backend())
    plan = UniversalPlan("dag", graph=executor.graph_store)
    for task, above in enumerate(parents):
        await plan.add_tool_step(f"t{task}", "work", {"task": task}, depends_on=[str(parent + 1) for parent in above])

    async def once():
        result = await executor.execute_plan(plan)
        if not result["success"]:
            raise RuntimeError(result["error"])

    return once


async def mcp_cli():
    """Executes its steps in batches of the topological order, without a model and without checkpoints on disk."""
    from mcp_cli.planning.context import PlanningContext
    from mcp_cli.planning.executor import PlanRunner

    class Tools:
        async def get_tool_by_name(self, name):
            return None

        async def execute_tool(self, name, arguments, namespace=None):
            await work(arguments["task"])
            return SimpleNamespace(success=True, result={"done": True}, error=None)

    async def confirm(name, arguments):
        return True

    context = PlanningContext(Tools(), plans_dir=Path(tempfile.mkdtemp()))
    runner = PlanRunner(context, confirm_prompt=confirm, max_concurrency=at_once)
    steps = [
        {
            "index": str(task + 1),
            "title": f"t{task}",
            "tool": "work",
            "args": {"task": task},
            "depends_on": [str(parent + 1) for parent in above],
        }
        for task, above in enumerate(parents)
    ]
    plan = {"id": "dag", "title": "dag", "steps": steps}

    async def once():
        result = await runner.execute_plan(plan, checkpoint=False)
        if not result.success:
            raise RuntimeError(result.error)

    return once


async def main():
    global done
    began = time.perf_counter()
    once = await {"chuk": chuk, "mcp-cli": mcp_cli}[peer]()
    build_ms = (time.perf_counter() - began) * 1000
    times = []
    while not times or (len(times) < int(rounds) and time.perf_counter() - began + times[-1] < float(seconds)):
        done = 0
        start = time.perf_counter()
        await once()
        times.append(time.perf_counter() - start)
        if done != len(parents):
            raise RuntimeError(f"Expected {len(parents)} tasks done, got {done}.")
    rss_mb = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps({"ms": sorted(times)[len(times) // 2] * 1000, "build_ms": build_ms, "rss_mb": rss_mb}), file=out)


# What the peers print is not the answer.
out, sys.stdout = sys.stdout, sys.stderr
asyncio.run(main())
