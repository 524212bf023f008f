// What the page knows of a network, its flows, and the runs: read once, then moved to a sample.

import { Ranks } from "./ranks"
import { Reader } from "./reader"

/** About has what all runs share, as Go's package view writes it. Times are picoseconds. */
export interface About {
  Title: string; Scenario: string; Changes: string; Seed: number; Network: string
  HostsForward: boolean
  Tier: number[]; Rack: number[]
  Ports: number[][][] // by node, then port: peer, its port, b/s, delay
  Flows: FlowList[]
  States: { Name: string; Colour: string }[] // of ranks
  Runs: RunInfo[]
}

/** FlowList has flows of runs, by flow. */
export interface FlowList {
  Src: number[]; Dst: number[]; Class: number[]; Bytes: number[]; Start: number[]; Group: string[]
}

export interface RunInfo {
  Label: string; List: number; FlowControl: string; End: number; FCT: number[]; Ideal: number[]
  Deadlock: string; Circle: [number, number][] | null; Notes: string[] | null
  Samples: number; LeftOut: string[] | null; Ways: number[][]; Failures: string[] | null
  Jobs: JobInfo[] | null
}

/** JobInfo is a job: Hosts are by rank, and First is its first message's flow. */
export interface JobInfo { Name: string; Start: number; End: number; First: number; Hosts: number[] }

/** Port is one direction of a link: out of a node. Ports are numbered node by node. */
export interface Port {
  id: number; node: number; number: number; peer: number; back: number; rate: number; delay: number
}

export class Network {
  readonly ports: Port[] = []
  readonly first: number[] = []

  constructor(readonly about: About) {
    for (const ends of about.Ports) {
      this.first.push(this.ports.length)
      const node = this.first.length - 1
      ends.forEach(([peer, back, rate, delay], number) => {
        this.ports.push({ id: this.ports.length, node, number, peer, back, rate, delay })
      })
    }
    for (const p of this.ports) p.back += this.first[p.peer]
  }

  /** name is how the reports write a port: "160:3". */
  name(port: number): string {
    const p = this.ports[port]
    return `${p.node}:${p.number}`
  }

  /** find returns the port of a name, -1 for none. */
  find(name: string): number {
    const m = /^(\d+):(\d+)$/.exec(name)
    if (!m) return -1
    const node = Number(m[1]), number = Number(m[2])
    return number < (this.about.Ports[node]?.length ?? 0) ? this.first[node] + number : -1
  }

  isHost(node: number): boolean { return this.about.Tier[node] === 0 }
}

/** Track is numbers by key over time. It stands at a sample; -1 is before the first: all are 0. */
export class Track {
  readonly keys: Int32Array[] = [] // by column
  readonly count: number
  readonly from: Uint32Array // of a sample's changes
  private readonly key: Uint32Array
  private readonly by: Float64Array
  readonly state: Float64Array
  private at = -1
  private readonly by0 = new Map<number, number[]>() // keys by their first column, when asked for

  constructor(r: Reader, arity: number, private readonly samples: number) {
    this.count = r.unsigned()
    for (let c = 0; c < arity; c++) {
      const column = new Int32Array(this.count)
      for (let i = 0, last = 0; i < this.count; i++) column[i] = last += r.signed()
      this.keys.push(column)
    }
    this.from = new Uint32Array(samples + 1)
    for (let s = 0; s < samples; s++) this.from[s + 1] = this.from[s] + r.unsigned()
    const total = this.from[samples]
    this.key = new Uint32Array(total)
    for (let s = 0; s < samples; s++) {
      for (let i = this.from[s], last = -1; i < this.from[s + 1]; i++) {
        this.key[i] = last += r.unsigned() + 1
      }
    }
    this.by = new Float64Array(total)
    for (let i = 0; i < total; i++) this.by[i] = r.signed()
    this.state = new Float64Array(this.count)
  }

  seek(sample: number): void {
    for (; this.at < sample; this.at++) this.apply(this.at + 1, 1)
    for (; this.at > sample; this.at--) this.apply(this.at, -1)
  }

  private apply(sample: number, sign: number): void {
    for (let i = this.from[sample]; i < this.from[sample + 1]; i++) {
      this.state[this.key[i]] += sign * this.by[i]
    }
  }

  /** since calls visit with what changed at the sample where the track stands. */
  since(visit: (id: number, by: number) => void): void {
    if (this.at < 0) return
    for (let i = this.from[this.at]; i < this.from[this.at + 1]; i++) {
      visit(this.key[i], this.by[i])
    }
  }

  /** change is by how much the number of a key of one column changed at the sample. */
  change(first: number): number {
    const ids = this.of(first)
    if (this.at < 0 || ids.length === 0) return 0
    let low = this.from[this.at], high = this.from[this.at + 1] // the keys of a sample are in order
    const end = high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.key[middle] < ids[0]) low = middle + 1
      else high = middle
    }
    return low < end && this.key[low] === ids[0] ? this.by[low] : 0
  }

  /** each visits the numbers that are not 0. */
  each(visit: (id: number, value: number) => void): void {
    for (let id = 0; id < this.count; id++) if (this.state[id] !== 0) visit(id, this.state[id])
  }

  /** series returns numbers at every sample, of keys that are wanted, each by its place in ids. */
  series(ids: number[]): Float64Array[] {
    const place = new Map(ids.map((id, i) => [id, i]))
    const all = ids.map(() => new Float64Array(this.samples))
    for (let s = 0; s < this.samples; s++) {
      if (s > 0) for (const one of all) one[s] = one[s - 1]
      for (let i = this.from[s]; i < this.from[s + 1]; i++) {
        const at = place.get(this.key[i])
        if (at !== undefined) all[at][s] += this.by[i]
      }
    }
    return all
  }

  /** where returns the keys of which a column has a value. */
  where(column: number, value: number): number[] {
    if (column === 0) return this.of(value)
    const ids: number[] = []
    for (let i = 0; i < this.count; i++) if (this.keys[column][i] === value) ids.push(i)
    return ids
  }

  private of(first: number): number[] {
    if (this.by0.size === 0) {
      this.keys[0].forEach((value, id) => {
        const list = this.by0.get(value)
        if (list) list.push(id)
        else this.by0.set(value, [id])
      })
    }
    return this.by0.get(first) ?? []
  }

  /** now returns the number of a key of one column. */
  now(first: number): number {
    const ids = this.of(first)
    return ids.length > 0 ? this.state[ids[0]] : 0
  }
}

/** Tracks, in the order of Go's package view, with how many numbers name each of theirs. */
const tracks = {
  backlog: 1, down: 1, sent: 1, pauses: 1, heldTime: 1, marksCE: 1, marksUE: 1, lost: 1,
  held: 2, waiting: 3, waits: 4, isolated: 3, received: 1, rate: 1,
}
type Name = keyof typeof tracks

/** Run is one run, which stands at a sample. */
export class Run {
  readonly times: Float64Array
  readonly tracks = {} as Record<Name, Track>
  sample = -1
  ranks: Ranks | null = null // what the ranks of its jobs do

  constructor(
    readonly info: RunInfo, readonly flows: FlowList, readonly number: number, bytes: Uint8Array,
  ) {
    const r = new Reader(bytes)
    this.times = new Float64Array(r.unsigned())
    for (let i = 0, at = 0; i < this.times.length; i++) this.times[i] = at += r.unsigned()
    for (const name of Object.keys(tracks) as Name[]) {
      this.tracks[name] = new Track(r, tracks[name], this.times.length)
    }
  }

  /** at returns the last sample at or before an instant, -1 for none. */
  at(time: number): number {
    let low = -1, high = this.times.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.times[middle] <= time) low = middle
      else high = middle - 1
    }
    return low
  }

  seek(sample: number): void {
    this.sample = sample
    for (const name of Object.keys(tracks) as Name[]) this.tracks[name].seek(sample)
  }

  /** span is the time from the sample before to that where the run stands, in picoseconds. */
  span(sample = this.sample): number {
    if (sample < 0) return 0
    return this.times[sample] - (sample > 0 ? this.times[sample - 1] : 0)
  }

  /** start returns when a flow begins, Infinity if it never does. */
  start(flow: number): number {
    return this.ranks?.isMessage(flow) ? this.ranks.sentAt(flow) : this.flows.Start[flow]
  }

  /** has says whether there is a flow of a number. */
  has(flow: number): boolean { return flow >= 0 && flow < this.flows.Src.length }

  /** way returns the ports of a flow at an instant. */
  way(flow: number, time: number): number[] {
    let way: number[] = []
    for (const w of this.info.Ways) if (w[1] === flow && w[0] <= time) way = w.slice(2)
    return way
  }
}

/** unpack returns what the page has under a name, null for nothing. */
async function unpack(id: string): Promise<Uint8Array | null> {
  const text = document.getElementById(id)?.textContent
  if (!text) return null
  const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0))
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** load reads what the page contains. */
export async function load(): Promise<{ network: Network; runs: Run[] }> {
  const about: About = JSON.parse(new TextDecoder().decode((await unpack("about"))!))
  const runs: Run[] = []
  for (const [i, info] of about.Runs.entries()) {
    const run = new Run(info, about.Flows[info.List], i, (await unpack(`run${i}`))!)
    const spans = await unpack(`ranks${i}`)
    if (spans) run.ranks = new Ranks(info, spans, await unpack(`operations${i}`))
    runs.push(run)
  }
  return { network: new Network(about), runs }
}
