// Which flows suffer from congestion that they do not pass, and when a run begins to pause.
import { Network, Run } from "./data"
import { Trees, portOf, queueOf, treesOf } from "./trees"

/** Victim is a flow that waits in held queues behind a root that is not on its way. */
export interface Victim {
  flow: number
  slowdown: number // Infinity if it never completes
  root: number // behind which it is seen most often
  samples: number // in which it is seen behind that root
  held: number // the time of the first of them
}

/** mostLooked is how many flows of a run are looked at: those that are slowed down most. */
const mostLooked = 60

/** slowdown is the completion time over that in an empty network, 0 if that is unknown. */
export function slowdown(run: Run, flow: number): number {
  const fct = run.info.FCT[flow], ideal = run.info.Ideal[flow]
  if (ideal <= 0) return 0
  return fct < 0 ? Infinity : fct / ideal
}

/** victimsOf returns the victims of a run, the slowest first, and leaves the run as it was. */
export function victimsOf(run: Run): Victim[] {
  const flows = run.info.FCT.map((_, flow) => flow)
    .filter(flow => slowdown(run, flow) > 1.01 && run.flows.Group[flow] !== "incast")
    .sort((a, b) => slower(slowdown(run, a), slowdown(run, b)) || a - b)
    .slice(0, mostLooked)
  const seen = new Map(flows.map(flow => [flow, new Map<number, { samples: number; first: number }>()]))
  const t = run.tracks.waiting, back = run.sample
  const ids: number[] = []
  for (let id = 0; id < t.count; id++) if (seen.has(t.keys[2][id])) ids.push(id)
  for (let s = 0; s < run.times.length; s++) {
    run.seek(s)
    const held = heldQueues(run)
    if (held.size === 0) continue
    let trees: Trees | undefined
    const counted = new Set<string>()
    for (const id of ids) {
      const queue = queueOf(t.keys[0][id], t.keys[1][id]), flow = t.keys[2][id]
      if (!t.state[id] || !held.has(queue)) continue
      trees ??= treesOf(run)
      const way = run.way(flow, run.times[s])
      for (const root of new Set((trees.rootOf.get(queue) ?? []).map(portOf))) {
        if (way.includes(root) || counted.has(`${flow} ${root}`)) continue
        counted.add(`${flow} ${root}`)
        const of = seen.get(flow)!, known = of.get(root)
        if (known) known.samples++
        else of.set(root, { samples: 1, first: run.times[s] })
      }
    }
  }
  run.seek(back)
  const victims: Victim[] = []
  for (const flow of flows) {
    const roots = [...seen.get(flow)!].sort((a, b) => b[1].samples - a[1].samples || a[0] - b[0])
    if (roots.length === 0) continue
    const held = Math.min(...roots.map(r => r[1].first))
    victims.push({ flow, slowdown: slowdown(run, flow), root: roots[0][0], samples: roots[0][1].samples, held })
  }
  return victims
}

const slower = (a: number, b: number) => (a === b ? 0 : b > a ? 1 : -1)

function heldQueues(run: Run): Set<number> {
  const t = run.tracks.held, held = new Set<number>()
  t.each(id => held.add(queueOf(t.keys[0][id], t.keys[1][id])))
  return held
}

/** heldCounts is how many queues are held at each sample. */
export function heldCounts(run: Run): Int32Array {
  const t = run.tracks.held, back = run.sample, counts = new Int32Array(run.times.length)
  for (let s = 0; s < counts.length; s++) {
    t.seek(s)
    t.each(() => counts[s]++)
  }
  t.seek(back)
  return counts
}

/** firstPause is the first sample's time at which a queue is held, -1 if none is. */
export function firstPause(run: Run): number {
  const s = heldCounts(run).findIndex(held => held > 0)
  return s < 0 ? -1 : run.times[s]
}

/**
 * busy is when there is something to see of a run: the first sample with half as many held queues as
 * there are ever; without a pause that with the most bytes that wait; -1 without samples.
 */
export function busy(run: Run): number {
  const counts = heldCounts(run), most = counts.reduce((a, b) => Math.max(a, b), 0)
  if (most > 0) return run.times[counts.findIndex(held => 2 * held >= most)]
  const t = run.tracks.backlog, back = run.sample
  let largest = -1, at = -1
  for (let s = 0; s < run.times.length; s++) {
    let bytes = 0
    t.seek(s)
    t.each((_, value) => { bytes += value })
    if (bytes > largest) [largest, at] = [bytes, run.times[s]]
  }
  t.seek(back)
  return at
}

const tiers = ["host", "ToR", "spine", "core"]

/** rates says which links the network has: "host - ToR 100 Gb/s (144)". */
export function rates(n: Network): string {
  const count = new Map<string, number>()
  for (const p of n.ports) {
    if (p.back < p.id) continue // each link once
    const ends = [n.about.Tier[p.node], n.about.Tier[p.peer]].sort((a, b) => a - b)
      .map(tier => tiers[tier] ?? `tier ${tier}`).join(" - ")
    const key = `${ends} ${gbps(p.rate)}`
    count.set(key, (count.get(key) ?? 0) + 1)
  }
  return [...count].map(([key, links]) => `${key} (${links})`).join(", ")
}

/** gbps writes a rate. */
export const gbps = (rate: number) => `${Number((rate / 1e9).toPrecision(4))} Gb/s`
