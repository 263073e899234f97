import { goneMs } from "../../../packages/postgres/src/heads.ts";
import type { Cluster } from "./cluster.ts";

type Values = readonly unknown[];
type Rows = readonly object[] | Promise<readonly object[]>;

const text = (value: unknown) => String(value);

/** What each statement of the dispatcher, the worker and their messages does, by its name. */
export const statements: Readonly<Record<string, (cluster: Cluster, values: Values) => Rows>> = {
  keep({ dispatches }, [runId, parent, queue, request, attempt, isOpen]) {
    if (dispatches.has(text(runId))) return [];
    const row = { parent: text(parent), queue: text(queue), request: text(request), deaths: 0, recorded: 0 };
    dispatches.set(text(runId), { ...row, attempt: Number(attempt), isOpen: Boolean(isOpen) });
    return [{ run_id: runId }];
  },
  request({ dispatches }, [runId]) {
    const row = dispatches.get(text(runId));
    return row === undefined ? [] : [{ request: row.request }];
  },
  take({ dispatches }, [runId, attempt]) {
    const row = dispatches.get(text(runId));
    return row?.isOpen === true && row.attempt === attempt ? [{ request: row.request }] : [];
  },
  open({ dispatches }, [runId, before, attempt]) {
    const row = dispatches.get(text(runId));
    if (row?.attempt !== before) return [];
    Object.assign(row!, { attempt, isOpen: true });
    return [{ attempt }];
  },
  "open with"({ dispatches, heads }, [runId, before, attempt, request]) {
    const row = dispatches.get(text(runId));
    const isSame = row?.attempt === attempt && row?.request === request;
    if (row === undefined || (row.attempt !== before && !isSame)) return [];
    Object.assign(row, { attempt, isOpen: true, request, asker: heads.get(row.parent)?.token });
    return [{ attempt }];
  },
  asked(cluster, [runId, attempt, parent]) {
    const row = cluster.dispatches.get(text(runId));
    const judged = cluster.judged(text(parent));
    if (row?.isOpen !== true || row.attempt !== attempt || judged === undefined) return [];
    return row.asker == null || row.asker === judged.token ? [judged] : [];
  },
  shut({ dispatches }, [runId]) {
    const row = dispatches.get(text(runId));
    if (row === undefined) return [];
    row.isOpen = false;
    return [{ attempt: row.attempt }];
  },
  "count death"({ dispatches }, [runId, attempt, recorded]) {
    const row = dispatches.get(text(runId));
    if (row?.attempt !== attempt || !row?.isOpen) return [];
    row.deaths = Number(recorded) > row.recorded ? 1 : row.deaths + 1;
    row.recorded = Math.max(row.recorded, Number(recorded));
    row.isOpen = false;
    return [];
  },
  deaths({ dispatches }, [runId]) {
    const row = dispatches.get(text(runId));
    return row === undefined ? [] : [{ deaths: row.deaths }];
  },
  forgive({ dispatches }, [runId]) {
    const row = dispatches.get(text(runId));
    if (row !== undefined) Object.assign(row, { deaths: 0, recorded: 0, isOpen: false });
    return [];
  },
  async subgraph(cluster, [runId]) {
    const id = text(runId);
    const row = cluster.dispatches.get(id);
    if (row === undefined) return [];
    const run = await cluster.memory.getRun(id).catch(() => undefined);
    const recorded = run === undefined ? 0 : (await cluster.memory.getTasks(id)).length;
    const { attempt, isOpen } = row;
    const judged = cluster.judged(id);
    const updated = cluster.heads.get(id)?.updatedAt;
    return [
      {
        attempt,
        is_open: isOpen,
        status: run?.status ?? null,
        updated_at: updated && String(updated),
        recorded,
        ...judged,
      },
    ];
  },
  "outputs there"({ blobs }, [runId, hashes]) {
    return (hashes as string[]).flatMap((hash) => (blobs.has(`${runId} ${hash}`) ? [{ hash }] : []));
  },
  "keep output"({ blobs }, [runId, hash, value]) {
    blobs.set(`${runId} ${hash}`, text(value));
    return [];
  },
  outputs({ blobs }, [runId, hashes]) {
    return (hashes as string[]).flatMap((hash) => {
      const value = blobs.get(`${runId} ${hash}`);
      return value === undefined ? [] : [{ hash, value }];
    });
  },
  async abandoned(cluster, [queues]) {
    const { dispatches, orphans, memory } = cluster;
    const isOf = (name: string) => (queues as string[]).includes(name);
    const parents = new Set([...dispatches.values()].filter((row) => isOf(row.queue)).map(({ parent }) => parent));
    const found: object[] = [];
    for (const id of parents) {
      const run = await memory.getRun(id).catch(() => undefined);
      if (run?.status === "running") found.push({ run_id: id, ...cluster.judged(id) });
    }
    for (const [id, of] of orphans) if (isOf(of)) found.push({ run_id: id, ...cluster.judged(id) });
    return found;
  },
  presence(cluster, [presence]) {
    const row = cluster.presences.get(Number(presence));
    if (row === undefined) return [];
    return [{ silent_ms: cluster.world.nowMs - row.seenMs, present: cluster.isPresent(Number(presence)) }];
  },
  leave({ orphans }, [runId, queue]) {
    orphans.set(text(runId), text(queue));
    return [];
  },
  move({ dispatches }, [runId, to, from]) {
    for (const row of dispatches.values()) if (row.parent === runId && row.queue === from) row.queue = text(to);
    return [];
  },
  adopt({ orphans }, [runId]) {
    orphans.delete(text(runId));
    return [];
  },
  workers(cluster, [queue]) {
    const classes = new Map<string, { class: string; resources: string; workers: number; concurrency: number }>();
    for (const [presence, worker] of cluster.workers) {
      const seenMs = cluster.presences.get(presence)?.seenMs ?? Number.NEGATIVE_INFINITY;
      const isLive = cluster.world.nowMs - seenMs < goneMs || cluster.isPresent(presence);
      if (worker.queue !== queue || !isLive) continue;
      const { className, resources } = worker;
      const before = classes.get(className) ?? { class: className, resources, workers: 0, concurrency: 0 };
      classes.set(className, {
        ...before,
        workers: before.workers + 1,
        concurrency: before.concurrency + worker.concurrency,
      });
    }
    return [...classes.values()].sort((left, right) => (left.class < right.class ? -1 : 1));
  },
  "other workers": () => [],
  claims({ workflows }, [name]) {
    const here = [...workflows.values()].filter(
      ({ status, executorId }) => status === "PENDING" && executorId === name,
    );
    return here.map(({ id }) => ({ workflow: id }));
  },
  post(cluster, [channels, numbers, bodies]) {
    const sent = channels as string[];
    for (const [at, channel] of sent.entries()) {
      const letters = cluster.mail.get(channel) ?? new Map<number, string>();
      cluster.mail.set(channel, letters);
      const number = (numbers as number[])[at]!;
      if (!letters.has(number)) letters.set(number, (bodies as string[])[at]!);
    }
    for (const runId of new Set(sent)) cluster.notify({ kind: "mail", runId });
    return [];
  },
  mail({ mail }, [channels, heard]) {
    return (channels as string[]).flatMap((channel, at) => {
      const letters = mail.get(channel) ?? new Map<number, string>();
      const last = (heard as number[])[at]!;
      for (const number of [...letters.keys()]) if (number <= last) letters.delete(number);
      return [...letters].sort(([left], [right]) => left - right).map(([number, body]) => ({ channel, number, body }));
    });
  },
  "end mail"({ mail }, [channel]) {
    mail.delete(text(channel));
    return [];
  },
};
