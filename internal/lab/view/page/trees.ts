// Which queues wait for which: congestion trees from the waits of held queues, by protocol of any kind.
import { Run } from "./data"

/** Queue is a queue of a port as one number. */
const perPort = 65536
export const queueOf = (port: number, queue: number) => port * perPort + queue
export const portOf = (q: number) => Math.floor(q / perPort)
export const numberOf = (q: number) => q % perPort

export interface Trees {
  /** waits are the queues that a held queue waits for. */
  waits: Map<number, number[]>
  /**
   * roots are the ports with queues that others wait for and that wait for none, with how many
   * queues are behind them, the largest tree first.
   */
  roots: { port: number; size: number }[]
  /** rootOf are the roots of a queue, as queues, and itself of a root. */
  rootOf: Map<number, number[]>
  /** circle says that the queues of the result's deadlock wait for each other now. */
  circle: boolean
  /** tangled are queues that wait, and come to no root: each waits for another. */
  tangled: number
}

/** treesOf returns the trees at the sample where a run stands. */
export function treesOf(run: Run): Trees {
  const t = run.tracks.waits
  const waits = new Map<number, number[]>(), behind = new Map<number, number[]>()
  t.each(id => {
    const from = queueOf(t.keys[0][id], t.keys[1][id]), to = queueOf(t.keys[2][id], t.keys[3][id])
    push(waits, from, to)
    push(behind, to, from)
  })
  const rootOf = new Map<number, number[]>(), trees = new Map<number, Set<number>>()
  for (const root of [...behind.keys()].filter(q => !waits.has(q)).sort((a, b) => a - b)) {
    let tree = trees.get(portOf(root))
    if (!tree) trees.set(portOf(root), (tree = new Set()))
    const seen = new Set([root]), work = [root]
    for (let q = work.pop(); q !== undefined; q = work.pop()) {
      push(rootOf, q, root)
      if (q !== root) tree.add(q)
      for (const from of behind.get(q) ?? []) {
        if (!seen.has(from)) {
          seen.add(from)
          work.push(from)
        }
      }
    }
  }
  const roots = [...trees].map(([port, tree]) => ({ port, size: tree.size }))
  roots.sort((a, b) => b.size - a.size || a.port - b.port)
  const circle = (run.info.Circle ?? []).map(([port, queue]) => queueOf(port, queue))
  let tangled = 0
  for (const q of waits.keys()) if (!rootOf.has(q)) tangled++
  return {
    waits, roots, rootOf, tangled,
    circle: circle.length > 0 &&
      circle.every((q, i) => waits.get(q)?.includes(circle[(i + 1) % circle.length]) ?? false),
  }
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

/** standsSince returns when the circle of a deadlock closed that stands at the end; -1 for none. */
export function standsSince(run: Run): number {
  const circle = run.info.Circle ?? []
  if (circle.length === 0) return -1
  const t = run.tracks.waits
  const ids = circle.map(([port, queue], i) => {
    const [toPort, toQueue] = circle[(i + 1) % circle.length]
    return t.where(0, port).find(id =>
      t.keys[1][id] === queue && t.keys[2][id] === toPort && t.keys[3][id] === toQueue) ?? -1
  })
  if (ids.includes(-1)) return -1
  const series = t.series(ids)
  let since = -1
  for (let s = run.times.length - 1; s >= 0 && series.every(one => one[s] === 1); s--) {
    since = run.times[s]
  }
  return since
}
