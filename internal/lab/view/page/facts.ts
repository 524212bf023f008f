// What there is to say of a port, a flow or a run at the sample at hand, apart from how it looks.
import { Network, Run } from "./data"
import { Trees, numberOf, portOf, queueOf } from "./trees"

export interface Waiting { queue: number; flow: number; bytes: number }

/** PortNow is a port at a sample: the numbers since the last one belong to the span before. */
export interface PortNow {
  backlog: number; down: boolean; held: number[]; waiting: Waiting[]
  sent: number; pauses: number; heldShare: number; ce: number; ue: number; lost: number
  waitsFor: [number, number, number][] // queue, port, queue
  isolated: { queue: number; root: number; state: number }[]
}

export function portNow(run: Run, port: number): PortNow {
  const t = run.tracks
  const held: number[] = [], waiting: Waiting[] = []
  for (const id of t.held.where(0, port)) if (t.held.state[id]) held.push(t.held.keys[1][id])
  for (const id of t.waiting.where(0, port)) {
    const bytes = t.waiting.state[id]
    if (bytes) waiting.push({ queue: t.waiting.keys[1][id], flow: t.waiting.keys[2][id], bytes })
  }
  const waitsFor: [number, number, number][] = []
  for (const id of t.waits.where(0, port)) {
    if (t.waits.state[id]) waitsFor.push([t.waits.keys[1][id], t.waits.keys[2][id], t.waits.keys[3][id]])
  }
  const isolated = t.isolated.where(0, port).filter(id => t.isolated.state[id]).map(id => ({
    queue: t.isolated.keys[1][id], root: t.isolated.keys[2][id], state: t.isolated.state[id],
  }))
  held.sort((a, b) => a - b)
  waiting.sort((a, b) => b.bytes - a.bytes || a.flow - b.flow || a.queue - b.queue)
  return {
    backlog: t.backlog.now(port), down: t.down.now(port) > 0, held, waiting, waitsFor, isolated,
    sent: t.sent.change(port), pauses: t.pauses.change(port), ce: t.marksCE.change(port),
    ue: t.marksUE.change(port), lost: t.lost.change(port),
    heldShare: run.span() ? t.heldTime.change(port) / run.span() : 0,
  }
}

/** states name the states of an isolation queue as the Pyrrha paper does. */
export const states = ["unassigned", "paused", "resumed", "soft-merging"]

/** seriesOf returns a port over time: kB held, Gb/s sent, share of the time that it was held in %. */
export function seriesOf(run: Run, port: number): { kB: number[]; rate: number[]; held: number[] } {
  const of = (track: typeof run.tracks.backlog) =>
    track.series(track.where(0, port).slice(0, 1))[0] ?? new Float64Array(run.times.length)
  const sent = of(run.tracks.sent), held = of(run.tracks.heldTime)
  const per = (a: Float64Array, factor: number) => [...a].map((x, i) => {
    const span = run.span(i)
    return span > 0 ? ((x - (i ? a[i - 1] : 0)) * factor) / span : 0
  })
  return { kB: [...of(run.tracks.backlog)].map(x => x / 1000), rate: per(sent, 8000), held: per(held, 100) }
}

/** Stay is where a flow waited: in how many samples its packets were seen, and in a held queue. */
export interface Stay { port: number; samples: number; held: number; behind: Map<number, number> }

/** lifeOf goes through a run to find where the packets of a flow waited, and leaves it as it was. */
export function lifeOf(run: Run, flow: number, trees: () => Trees): Stay[] {
  const back = run.sample, stays = new Map<number, Stay>()
  const t = run.tracks.waiting, ids = t.where(2, flow)
  const isHeld = new Map<number, number>()
  const h = run.tracks.held
  for (let id = 0; id < h.count; id++) isHeld.set(queueOf(h.keys[0][id], h.keys[1][id]), id)
  const series = t.series(ids)
  for (let s = 0; s < run.times.length; s++) {
    const seen = new Map<number, boolean>()
    let at: Trees | undefined
    ids.forEach((id, i) => {
      if (!series[i][s]) return
      const port = t.keys[0][id], queue = queueOf(port, t.keys[1][id])
      let stay = stays.get(port)
      if (!stay) stays.set(port, (stay = { port, samples: 0, held: 0, behind: new Map() }))
      if (!at) {
        run.seek(s)
        at = trees()
      }
      const heldId = isHeld.get(queue), held = heldId !== undefined && h.state[heldId] > 0
      seen.set(port, (seen.get(port) ?? false) || held)
      if (held) {
        for (const root of new Set((at.rootOf.get(queue) ?? []).map(portOf))) {
          stay.behind.set(root, (stay.behind.get(root) ?? 0) + 1)
        }
      }
    })
    for (const [port, held] of seen) {
      const stay = stays.get(port)!
      stay.samples++
      if (held) stay.held++
    }
  }
  run.seek(back)
  return [...stays.values()]
}

/** queueName writes a queue as results do: "160:17 q0". */
export const queueName = (n: Network, q: number) => `${n.name(portOf(q))} q${numberOf(q)}`

/** us writes a time in microseconds. */
export const us = (ps: number) => `${Number((ps / 1e6).toPrecision(6))} us`
