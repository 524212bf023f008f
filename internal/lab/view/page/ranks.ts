// What the ranks of a run's jobs do over time, exactly and not by samples.
import { JobInfo, RunInfo } from "./data"
import { Reader } from "./reader"

/** idle is the state of a rank between its spans; the page names the others, from 0 on. */
export const idle = -1
const held = 2

/** Cause is what a rank was held for: a congestion root, or the port of a queue that was paused. */
export interface Cause { node: number; port: number; root: boolean }

/** Span is what a rank does from an instant until another, in picoseconds. */
export interface Span { from: number; to: number; state: number; cause: Cause | null }

/** Begun is a computation, or a message if it has a flow; number is its operation's. */
export interface Begun {
  row: number; number: number; from: number; to: number; flow: number; peer: number
}

/** Now is what a rank does at an instant. */
export interface Now {
  span: Span
  computes: Begun[]
  sends: Begun[] // its messages that have not arrived
  awaits: Begun | null // the message that arrives next, if it was sent
}

const mostRanks = 2 ** 20 // of a job

/** rankName is how an address names a rank by its id, which is the same in all runs: "0:3". */
export const rankName = (id: number) => `${Math.floor(id / mostRanks)}:${id % mostRanks}`

/** rankOf reads a name, without a job of the first one; it returns -1 for what is none. */
export function rankOf(name: string): number {
  const m = /^(?:(\d+):)?(\d+)$/.exec(name)
  return m && Number(m[2]) < mostRanks ? Number(m[1] ?? 0) * mostRanks + Number(m[2]) : -1
}

/** Ranks has a row for each rank, job by job. */
export class Ranks {
  readonly rows: { id: number; job: number; rank: number }[] = []
  readonly first: number[] = [] // row of each job, and one behind them
  readonly jobs: JobInfo[]
  readonly begin: number
  readonly end: number
  // Spans of a row are from start[row] to start[row + 1].
  readonly start: Uint32Array
  readonly from: Float64Array
  readonly to: Float64Array
  readonly state: Uint8Array
  private readonly cause: Uint32Array // of causes, by span
  private readonly causes: Cause[] = []
  private readonly own: Begun[][] = [] // by row, in the order of time
  private readonly comes = new Map<number, Begun[]>() // messages by the row that they go to, by arrival
  private readonly sent = new Map<number, number>() // by flow

  constructor(info: RunInfo, spans: Uint8Array, operations: Uint8Array | null) {
    const jobs = info.Jobs!
    this.jobs = jobs
    this.begin = Math.min(...jobs.map(j => j.Start))
    this.end = Math.max(...jobs.map(j => j.End))
    jobs.forEach((j, job) => {
      this.first.push(this.rows.length)
      j.Hosts.forEach((_, rank) => this.rows.push({ id: job * mostRanks + rank, job, rank }))
    })
    this.first.push(this.rows.length)
    const all: { from: number[]; to: number[]; state: number[]; cause: number[] } =
      { from: [], to: [], state: [], cause: [] }
    this.start = new Uint32Array(this.rows.length + 1)
    const r = new Reader(spans)
    jobs.forEach((_, job) => this.readSpans(r, job, all))
    this.from = Float64Array.from(all.from)
    this.to = Float64Array.from(all.to)
    this.state = Uint8Array.from(all.state)
    this.cause = Uint32Array.from(all.cause)
    if (operations) this.readOperations(new Reader(operations), info.FCT)
  }

  private readSpans(
    r: Reader, job: number, all: { from: number[]; to: number[]; state: number[]; cause: number[] },
  ): void {
    const known = this.causes.length
    for (let n = r.unsigned(); n > 0; n--) {
      this.causes.push({ node: r.unsigned(), port: r.unsigned(), root: r.unsigned() > 0 })
    }
    const first = this.first[job], behind = this.first[job + 1], before = all.from.length
    for (let row = first; row < behind; row++) this.start[row + 1] = this.start[row] + r.unsigned()
    const count = this.start[behind] - this.start[first]
    const gaps = Array.from({ length: count }, () => r.unsigned())
    const lengths = Array.from({ length: count }, () => r.unsigned())
    for (let row = first; row < behind; row++) {
      let at = this.jobs[job].Start
      for (let i = this.start[row]; i < this.start[row + 1]; i++) {
        all.from.push(at += gaps[i - before])
        all.to.push(at += lengths[i - before])
      }
    }
    for (let i = 0; i < count; i++) {
      const state = r.unsigned()
      all.state.push(Math.min(state, held))
      all.cause.push(known + Math.max(0, state - held))
    }
  }

  private readOperations(r: Reader, fct: number[]): void {
    for (let job = 0; job < this.jobs.length; job++) {
      const first = this.first[job], ranks = this.first[job + 1] - first
      const counts = Array.from({ length: ranks }, () => r.unsigned())
      counts.forEach((count, rank) => {
        this.own.push(Array.from({ length: count }, () =>
          ({ row: first + rank, number: 0, from: 0, to: 0, flow: -1, peer: -1 })))
      })
      const each = (visit: (b: Begun, before: Begun | undefined, rank: number) => void) =>
        this.own.slice(first).forEach((list, rank) => list.forEach((b, i) => visit(b, list[i - 1], rank)))
      each((b, before) => { b.number = (before?.number ?? 0) + r.signed() })
      each((b, before) => { b.from = (before?.from ?? 0) + r.unsigned() })
      each(b => { b.peer = r.unsigned() - 1 })
      const flows = new Int32Array(ranks)
      each((b, _, rank) => {
        if (b.peer < 0) b.to = b.from + r.unsigned()
        else this.addMessage(b, first, flows[rank] += r.signed(), fct)
      })
    }
    for (const list of this.comes.values()) list.sort((a, b) => a.to - b.to)
  }

  private addMessage(b: Begun, first: number, flow: number, fct: number[]): void {
    b.flow = flow
    b.peer += first
    b.to = fct[flow] < 0 ? Infinity : b.from + fct[flow]
    this.sent.set(flow, b.from)
    const list = this.comes.get(b.peer)
    if (list) list.push(b)
    else this.comes.set(b.peer, [b])
  }

  /** host returns the host of a row. */
  host(row: number): number {
    const { job, rank } = this.rows[row]
    return this.jobs[job].Hosts[rank]
  }

  /** name names a row. */
  name(row: number): string {
    const { job, rank } = this.rows[row]
    return `${this.jobs[job].Name}, rank ${rank}`
  }

  /** row returns the row of a rank, -1 for none. */
  row(id: number): number {
    const job = Math.floor(id / mostRanks), rank = id % mostRanks
    return id >= 0 && rank < (this.jobs[job]?.Hosts.length ?? 0) ? this.first[job] + rank : -1
  }

  /** isMessage says that it is known when ranks sent a flow. */
  isMessage(flow: number): boolean { return this.own.length > 0 && flow >= this.jobs[0].First }

  /** sentAt is when a rank sent a message, Infinity if none did. */
  sentAt(flow: number): number { return this.sent.get(flow) ?? Infinity }

  /** lastBefore returns the last span of a row that begins at an instant or before; -1 for none. */
  lastBefore(row: number, time: number): number {
    let low = this.start[row] - 1, high = this.start[row + 1] - 1
    const none = low
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.from[middle] <= time) low = middle
      else high = middle - 1
    }
    return low === none ? -1 : low
  }

  /** span returns what a row does at an instant; if nothing, from the span before to the next. */
  span(row: number, time: number): Span {
    const i = this.lastBefore(row, time)
    if (i >= 0 && time < this.to[i]) {
      const state = this.state[i]
      return {
        from: this.from[i], to: this.to[i], state,
        cause: state === held ? this.causes[this.cause[i]] : null,
      }
    }
    const next = i < 0 ? this.start[row] : i + 1
    return {
      from: i < 0 ? 0 : this.to[i], to: next < this.start[row + 1] ? this.from[next] : Infinity,
      state: idle, cause: null,
    }
  }

  /** now returns what a row does at an instant. */
  now(row: number, time: number): Now {
    const under = (this.own[row] ?? []).filter(b => b.from <= time && time < b.to)
    const next = (this.comes.get(row) ?? []).find(b => b.to > time)
    return {
      span: this.span(row, time), computes: under.filter(b => b.flow < 0),
      sends: under.filter(b => b.flow >= 0), awaits: next && next.from <= time ? next : null,
    }
  }
}
