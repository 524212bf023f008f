// The page: a map for each run that is shown, one clock, and beside them what was asked for.
import uPlot from "uplot"
import { FlowList, Network, Run, load } from "./data"
import { Cause, Ranks, rankName, rankOf } from "./ranks"
import { layout } from "./layout"
import { Picture, Colours, Theme, View } from "./picture"
import { Trees, portOf, queueOf, standsSince, treesOf } from "./trees"
import { Series, chart } from "./chart"
import { Victim, busy, firstPause, rates, victimsOf } from "./victims"
import { PortNow, lifeOf, portNow, queueName, seriesOf, states, us } from "./facts"
import { escape } from "./scene"
import { Heard, Part, Timeline, highOf, whole } from "./timeline"
import { Links, plain, rankWords } from "./rankwords"

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T

/** sign draws the legend's piece of a link. */
const sign = (inside: string, what: string, name = "") =>
  `<li class="${name}"><svg width="54" height="14" viewBox="0 0 54 14" aria-hidden="true">${inside}</svg> ${what}</li>`
const root = "#e69f00"
const signs = `<details><summary>What the signs mean</summary><ul class="signs">` +
  sign(`<path d="M0 5H54" stroke="var(--busy)" stroke-width="2.4"/><path d="M0 9H54" stroke="var(--faint)"/>`,
    "a link: a line for each direction, on the right as one goes; the busier, the darker and wider") +
  sign(`<path d="M2 7H26" stroke="var(--bar)" stroke-width="5"/><path d="M26 7H54" stroke="var(--faint)"/>`,
    "what waits for the direction, from the end that sends: half the line is 400 kB, by the root") +
  sign(`<path d="M0 7H54" stroke="${root}" stroke-width="3" stroke-dasharray="6 3"/>`,
    "a queue with packets is held, in the colour of the congestion root that it waits for") +
  sign(`<circle cx="9" cy="7" r="6" fill="${root}"/><path d="M9 7H40" stroke="${root}" stroke-width="5"/>`,
    "a congestion root: others wait for it, and it waits for none") +
  sign(`<path d="M0 7H54" stroke="var(--faint)"/><rect x="12" y="4" width="7" height="7" fill="${root}"
    stroke="var(--text)"/>`, "an isolation queue of Pyrrha, in the colour of its root") +
  sign(`<path d="M0 7H54" stroke="var(--alarm)" stroke-width="6"/>`,
    "a queue of the deadlock that the result names; arrows go round the circle") +
  sign(`<circle cx="14" cy="7" r="3" fill="var(--text)"/><circle cx="34" cy="7" r="3" fill="var(--page)"
    stroke="var(--text)"/>`, "packets were marked since the sample before: CE; UE") +
  sign(`<path d="M4 2L14 12M4 12L14 2" stroke="var(--alarm)" stroke-width="2.5"/><path d="M20 7H54"
    stroke="var(--alarm)" stroke-dasharray="2 4"/>`, "packets were lost since then; a link that is down") +
  sign(`<path d="M0 7H54" stroke="var(--text)" stroke-width="1.6" stroke-dasharray="1 3"/>`,
    "the way of the flow that was chosen") +
  sign(`<text x="4" y="11" font-size="10" fill="var(--text)">2</text><path d="M16 7H54" stroke="${root}"
    stroke-width="3" stroke-dasharray="2 3"/>`, "a second root of that colour, and what waits for it: a number, other dashes") +
  sign(`<path d="M0 7H18" stroke="var(--state0)" stroke-width="7"/><path d="M18 7H36" stroke="var(--state1)"
    stroke-width="7"/><path d="M36 7H54" stroke="var(--state2)" stroke-width="7"/>`,
    "a rank of a job over time: it computes; it is exposed, as it communicates and computes nothing; its packets are held", "jobs") +
  sign(`<text x="4" y="11" font-size="10" fill="var(--text)">100G</text>`, "the rate of a link, in Gb/s") +
  "</ul></details>"

const frame = `
<header><h1></h1><span id="what"></span><span id="links"></span><span id="runs" role="group" aria-label="Runs that are shown"></span>
<input id="search" aria-label="Search: a port as 160:3, a host as 160, a flow as flow:12"
 placeholder="160:3, host 5, flow:12" size="20">
<span id="found" role="status"></span>
<button id="fit" aria-label="Show the whole network">whole (0)</button>
<button id="svg" aria-label="Save what is seen as an SVG picture">SVG</button>
<button id="theme" aria-label="Change between light and dark">light/dark</button></header>
<main id="maps"></main><aside aria-label="What was chosen"><div id="now"></div><div id="chosen"></div>${signs}</aside>
<footer><button id="play" aria-label="Play or pause">play</button>
<button id="back" aria-label="A sample back">&#9664;</button>
<button id="on" aria-label="A sample on">&#9654;</button>
<label>speed <select id="speed" aria-label="Samples a second"><option>5</option><option>15</option>
<option selected>30</option><option>60</option><option>240</option></select>/s</label>
<input type="range" id="clock" min="0" value="0" step="1" aria-label="Time"><output id="time"></output>
<span id="keys">space: play, arrows: step, +/-: speed, wheel: zoom, drag: move, click: choose</span></footer>`

class App {
  private readonly instants: number[]
  private readonly pictures: Picture[] = []
  private readonly timelines: Timeline[] = []
  private readonly colours = new Colours()
  private readonly cache = new Map<Run, { sample: number; trees: Trees }>()
  private readonly victims = new Map<Run, Victim[]>()
  private shown: Run[] = []
  private index = 0
  private playing = false
  private last = 0
  private due = 0
  private theme: Theme
  private chosen = { port: -1, flow: -1, rank: -1 }
  private instant: number | null = null // at which a rank was chosen, between two samples
  private hover = -1
  private hoverRank = -1
  private about = { port: -1, flow: -1 } // what the panel is about: what was chosen, or is pointed at
  private resting = 0 // a timer: the pointer has come to rest
  private charts: uPlot[] = []
  private view: View | null = null
  private part: Part | null = null // of the timelines, null for the whole
  private planned = false
  frames = 0

  constructor(readonly n: Network, readonly runs: Run[]) {
    document.body.insertAdjacentHTML("beforeend", frame)
    this.instants = [...new Set([0, ...runs.flatMap(r => [...r.times])])].sort((a, b) => a - b)
    const dark = matchMedia("(prefers-color-scheme: dark)").matches
    document.documentElement.dataset.theme = dark ? "dark" : "light"
    this.theme = readTheme()
    byId<HTMLInputElement>("clock").max = String(this.instants.length - 1)
    document.querySelector("h1")!.textContent = n.about.Title
    byId("what").textContent = `${n.about.Network}, seed ${n.about.Seed} ${n.about.Changes}`
    byId("links").textContent = `links: ${rates(n)}`
    this.forJobs()
    this.runBoxes()
    this.controls()
    this.shown = runs.slice(0, 3)
    const wrong = location.hash ? this.readAddress() : this.open()
    this.build()
    byId("found").textContent = wrong
    window.addEventListener("hashchange", () => {
      if (location.hash !== this.address()) {
        const wrong = this.readAddress()
        this.build()
        byId("found").textContent = wrong
      }
    })
    setTimeout(() => { // what takes longer comes after the first picture
      for (const run of runs) this.victims.set(run, victimsOf(run))
      this.tellNow()
    })
  }

  /** time is the instant of the clock, in picoseconds. */
  time(): number { return this.instants[this.index] }

  trees(run: Run): Trees {
    const known = this.cache.get(run)
    if (known?.sample === run.sample) return known.trees
    const trees = treesOf(run)
    this.cache.set(run, { sample: run.sample, trees })
    return trees
  }

  // ---- what is shown, and the address that says so

  /** forJobs prepares what only pages of runs with jobs have. */
  private forJobs(): void {
    if (!this.runs.some(run => run.ranks)) return document.querySelector(".signs .jobs")!.remove()
    const search = byId<HTMLInputElement>("search")
    search.placeholder += ", rank:3"
    search.ariaLabel += ", a rank as rank:3"
    this.n.about.States.forEach((s, i) => {
      document.documentElement.style.setProperty(`--state${i}`, s.Colour)
    })
  }

  private runBoxes(): void {
    for (const run of this.runs) {
      const label = document.createElement("label"), box = document.createElement("input")
      box.type = "checkbox"
      box.id = `show${run.number}`
      box.addEventListener("change", () => {
        this.shown = this.runs.filter(r => byId<HTMLInputElement>(`show${r.number}`).checked)
        this.build()
      })
      label.append(box, ` ${run.info.Label} `)
      byId("runs").append(label)
    }
  }

  private address(): string {
    const parts = [`t=${this.time()}`, `runs=${this.shown.map(r => r.number).join(",")}`]
    if (this.chosen.port >= 0) parts.push(`port=${this.n.name(this.chosen.port)}`)
    if (this.chosen.flow >= 0) parts.push(`flow=${this.chosen.flow}`)
    if (this.chosen.rank >= 0) parts.push(`rank=${rankName(this.chosen.rank)}`)
    if (this.view) {
      parts.push(`view=${[this.view.x, this.view.y, this.view.scale].map(v => v.toFixed(2)).join(",")}`)
    }
    const p = this.part
    if (p) {
      const rows = [p.top, p.bottom].map(v => v.toFixed(2))
      parts.push(`ranks=${[p.from.toFixed(0), p.to.toFixed(0), ...rows].join(",")}`)
    }
    return "#" + parts.join("&")
  }

  /** findRank returns the rank of a name, -1 for none. */
  private findRank(name: string): number {
    const id = rankOf(name)
    return this.runs.some(run => run.ranks && run.ranks.row(id) >= 0) ? id : -1
  }

  /** ranks returns the ranks of the runs that are shown; none without jobs. */
  private ranks(): Ranks[] { return this.shown.flatMap(run => run.ranks ?? []) }

  /** open sets the clock to where something happens in the runs that are shown. */
  private open(): string {
    const times = this.shown.map(busy).filter(t => t >= 0)
    this.set(Math.min(...times, Infinity) === Infinity ? 0 : Math.min(...times))
    return ""
  }

  /** set sets the clock to the last instant that is not after a time. */
  private set(time: number): void {
    this.index = 0
    while (this.index + 1 < this.instants.length && this.instants[this.index + 1] <= time) this.index++
  }

  /** readAddress takes what the address says, and returns what of it is of no use; "" if nothing. */
  private readAddress(): string {
    const of = new URLSearchParams(location.hash.slice(1)), wrong: string[] = []
    const known = ["t", "runs", "port", "flow", "rank", "view", "ranks"]
    for (const key of of.keys()) if (!known.includes(key)) wrong.push(`${key} says nothing`)
    const names = (of.get("runs") ?? "").split(",").filter(r => r !== "")
    const runs = this.runs.filter(r => names.includes(String(r.number)))
    for (const name of names) if (!this.runs.some(r => String(r.number) === name)) wrong.push(`no run ${name}`)
    if (runs.length > 0) this.shown = runs
    const t = Number(of.get("t") ?? 0), last = this.instants[this.instants.length - 1]
    if (!(t >= 0)) wrong.push(`no time ${of.get("t")}`)
    else if (t > last) wrong.push(`the runs end at ${us(last)}, before t=${of.get("t")}`)
    this.set(t)
    const flow = of.get("flow"), port = of.get("port")
    const isFlow = flow !== null && /^\d+$/.test(flow) && this.runs.some(r => r.has(Number(flow)))
    const rank = of.get("rank"), id = this.findRank(rank ?? "")
    this.chosen = { port: this.n.find(port ?? ""), flow: isFlow ? Number(flow) : -1, rank: id }
    if (flow !== null && !isFlow) wrong.push(`no flow ${flow}`)
    if (port !== null && this.chosen.port < 0) wrong.push(`no port ${port}`)
    if (rank !== null && id < 0) wrong.push(`no rank ${rank}`)
    const view = of.get("view"), v = (view ?? "").split(",").map(Number)
    this.view = v.length === 3 && v.every(Number.isFinite) && v[2] > 0 ? { x: v[0], y: v[1], scale: v[2] } : null
    if (view !== null && !this.view) wrong.push(`no view ${view}`)
    const ranks = of.get("ranks"), [from, to, top, bottom] = (ranks ?? "").split(",").map(Number)
    this.part = to > from && bottom > top ? { from, to, top, bottom } : null
    if (ranks !== null && !this.part) wrong.push(`no ranks ${ranks}`)
    return wrong.length > 0 ? `the address: ${wrong.join("; ")}` : ""
  }

  /** build makes the maps of the runs that are shown. */
  private build(): void {
    const maps = byId("maps"), columns = this.shown.length > 3 ? 2 : Math.max(1, this.shown.length)
    const rows = Math.ceil(this.shown.length / columns)
    const room = maps.clientHeight / rows - 70, all = this.ranks()
    const high = all.length === 0 ? 0 : highOf(whole(all).bottom, room)
    const aspect = (room - high) / (maps.clientWidth / columns)
    const places = layout(this.n, Math.max(0.3, aspect))
    maps.replaceChildren()
    maps.classList.toggle("many", this.shown.length > 3)
    this.pictures.length = this.timelines.length = 0
    for (const run of this.runs) byId<HTMLInputElement>(`show${run.number}`).checked = this.shown.includes(run)
    for (const run of this.shown) {
      const part = document.createElement("section")
      part.className = "map"
      part.innerHTML = `<h2>${escape(run.info.Label)}</h2><p id="says${run.number}"></p>
        <canvas tabindex="0" role="img" id="map${run.number}"></canvas>`
      maps.append(part)
      const picture = new Picture(part.querySelector("canvas")!, this.n, places, run, this.colours)
      this.pictures.push(picture)
      this.mouse(picture)
      if (run.ranks) this.addTimeline(part, run, run.ranks, high)
    }
    for (const t of this.timelines) {
      t.resize()
      t.show(this.part)
    }
    for (const p of this.pictures) {
      p.resize()
      p.view = this.view ?? p.fit()
    }
    this.choose(this.chosen.port, this.chosen.flow)
    this.move(this.index)
  }

  /** addTimeline puts what the ranks of a run do below its map. */
  private addTimeline(into: HTMLElement, run: Run, ranks: Ranks, high: number): void {
    const states = this.stateNames().map((name, i) =>
      `<i class="state" style="background:var(--state${i})"></i>${name}`).join(" ")
    into.insertAdjacentHTML("beforeend", `<p class="ranks">${states} <span id="rank${run.number}"></span></p>
      <canvas class="ranks" tabindex="0" role="img" id="ranks${run.number}" style="height:${high}px"
        aria-label="What ranks do under ${escape(run.info.Label)}: ${this.stateNames().join(", ")}"></canvas>`)
    const heard: Heard = {
      part: part => this.setPart(part),
      point: place => {
        const id = place ? ranks.rows[place.row].id : -1
        if (id !== this.hoverRank) this.soon()
        this.hoverRank = id
        byId(`rank${run.number}`).textContent = place ? this.rankAt(run, ranks, place.row, place.time) : ""
      },
      choose: ({ row, time }) => {
        this.go(time)
        this.instant = time
        this.chooseRank(ranks.rows[row].id, ranks)
      },
    }
    const canvas = into.querySelector<HTMLCanvasElement>("canvas.ranks")!
    const colours = this.n.about.States.map(s => s.Colour)
    this.timelines.push(new Timeline(canvas, ranks, colours, whole(this.ranks()), heard))
  }

  private stateNames(): string[] { return this.n.about.States.map(s => s.Name) }

  /** rankAt says in a line what a rank does at an instant. */
  private rankAt(run: Run, ranks: Ranks, row: number, time: number): string {
    return `${run.info.Label}, ${ranks.name(row)}, host ${ranks.host(row)} at ${us(time)}: ` +
      rankWords(ranks, row, time, this.stateNames(), plain).join("; ")
  }

  private setPart(part: Part | null): void {
    this.part = part
    for (const t of this.timelines) t.show(part)
    if (part && this.timelines.length > 0) this.part = this.timelines[0].part
    this.soon()
    if (!this.playing) history.replaceState(null, "", this.address())
  }

  /** chooseRank chooses a rank, and the port of its host in a run. */
  private chooseRank(id: number, ranks = this.ranks().find(r => r.row(id) >= 0)): void {
    const port = ranks ? this.n.first[ranks.host(ranks.row(id))] : this.chosen.port
    this.choose(port, this.chosen.flow, id)
  }

  // ---- the clock

  move(index: number): void {
    this.index = Math.max(0, Math.min(this.instants.length - 1, index))
    this.instant = null
    for (const run of this.shown) run.seek(run.at(this.time()))
    const roots = this.shown.flatMap(run => this.trees(run).roots).sort((a, b) => b.size - a.size)
    this.colours.now(this.theme, [...new Set(roots.map(r => r.port))])
    this.redraw()
    if (!this.playing || this.last >= this.due) this.tell()
    if (!this.playing) history.replaceState(null, "", this.address())
  }

  go(time: number): void {
    this.set(time)
    this.move(this.index)
  }

  play(on: boolean): void {
    this.playing = on
    byId("play").textContent = on ? "pause" : "play"
    if (!on) return this.move(this.index)
    if (this.index === this.instants.length - 1) this.move(0)
    let steps = 0
    this.last = performance.now()
    const tick = (now: number) => {
      if (!this.playing) return
      steps += ((now - this.last) / 1000) * Number(byId<HTMLSelectElement>("speed").value)
      this.last = now
      const whole = Math.floor(steps)
      steps -= whole
      this.frames++
      if (whole > 0) this.move(this.index + whole)
      if (this.index === this.instants.length - 1) this.play(false)
      else requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  }

  redraw(): void {
    for (const p of this.pictures) p.draw(this.theme, this.trees(p.run), this.chosen, this.hover)
    for (const t of this.timelines) {
      t.draw(this.theme, this.time(), t.ranks.row(this.chosen.rank), t.ranks.row(this.hoverRank))
    }
  }

  /** soon redraws once before the next frame, however often it is asked for. */
  private soon(): void {
    if (this.planned) return
    this.planned = true
    requestAnimationFrame(() => {
      this.planned = false
      this.redraw()
    })
  }

  // ---- what is said in words

  /**
   * tell says what happens: above the maps, for those who do not see them, and beside. While it
   * plays this is done often enough to be read, and not in every frame.
   */
  private tell(): void {
    this.due = this.last + 200
    byId<HTMLInputElement>("clock").value = String(this.index)
    byId<HTMLInputElement>("clock").setAttribute("aria-valuetext", us(this.time()))
    byId("time").textContent = `${us(this.time())}, sample ${this.index} of ${this.instants.length - 1}`
    for (const c of this.charts) c.redraw(false)
    for (const run of this.shown) {
      const trees = this.trees(run), t = run.tracks
      let held = 0, bytes = 0, downs = 0
      t.held.each(() => held++)
      t.backlog.each((_, value) => { bytes += value })
      t.down.each(() => downs++)
      let text = `${count(held, "queue")} held, ${count(trees.roots.length, "congestion root")}, ` +
        `${(bytes / 1e6).toFixed(2)} MB wait`
      if (downs) text += `, ${count(downs / 2, "link")} down`
      if (trees.circle) text += `; ${run.info.Deadlock}`
      else if (trees.tangled) text += `; ${trees.tangled} queues wait in a circle for the moment`
      const p = byId(`says${run.number}`)
      p.textContent = p.title = text
      p.className = trees.circle ? "alarm" : ""
      p.setAttribute("aria-live", this.playing ? "off" : "polite")
      byId(`map${run.number}`).setAttribute("aria-label", `${run.info.Label} at ${us(this.time())}: ${text}`)
    }
    this.tellNow()
    this.tellChosen()
  }

  private portLink(port: number): string {
    return `<button class="link" data-port="${port}">${this.n.name(port)}</button>`
  }
  private flowLink(flow: number): string {
    return `<button class="link" data-flow="${flow}">flow:${flow}</button>`
  }
  private swatch(root: number): string {
    const sign = this.colours.sign(this.theme, root)
    return `<span class="swatch" style="background:${this.colours.of(this.theme, root)}"></span>` +
      (sign ? `<b class="sign">${sign}</b> ` : "")
  }

  private tellNow(): void {
    let html = ""
    for (const run of this.shown) {
      const trees = this.trees(run)
      html += `<h2>${escape(run.info.Label)}</h2>`
      if (run.info.Deadlock) {
        const since = standsSinceOf(run)
        html += `<p class="alarm">${escape(run.info.Deadlock)}</p>`
        html += since < 0 ? "<p>No sample that is kept shows the circle closed.</p>"
          : `<p>The circle <button data-time="${since}">closes at ${us(since)}</button>, and never opens ` +
            `again. It is <button data-time="${run.info.End}">found at ${us(run.info.End)}</button>: a run ` +
            "looks for circles when it ends, because nothing moves any more or its time is over.</p>"
      }
      html += this.pauseFacts(run) + this.victimFacts(run)
      if (trees.roots.length > 0) {
        html += "<table><tr><th>congestion root</th><th>queues behind it</th><th>kB</th></tr>"
        for (const { port, size } of trees.roots.slice(0, 6)) {
          html += `<tr><td>${this.swatch(port)}${this.portLink(port)}</td><td>${size}</td>` +
            `<td>${(run.tracks.backlog.now(port) / 1000).toFixed(1)}</td></tr>`
        }
        html += "</table>"
        if (trees.roots.length > 6) html += `<p>and ${trees.roots.length - 6} more</p>`
      }
      const longest: [number, number][] = []
      run.tracks.backlog.each((id, value) => longest.push([run.tracks.backlog.keys[0][id], value]))
      longest.sort((a, b) => b[1] - a[1])
      if (longest.length > 0) {
        html += "<p>longest: " + longest.slice(0, 4).map(([port, bytes]) =>
          `${this.portLink(port)} ${(bytes / 1000).toFixed(0)} kB`).join(", ") + "</p>"
      }
      const notes = [...(run.info.Failures ?? []).map(f => `link fails: ${f}`), ...(run.info.Notes ?? [])]
      for (const left of run.info.LeftOut ?? []) html += `<p class="left">Left out: ${escape(left)}.</p>`
      if (notes.length > 0) {
        html += `<details><summary>${count(notes.length, "note")} of the run</summary>` +
          notes.map(n => `<p>${escape(n)}</p>`).join("") + "</details>"
      }
    }
    keepOpen(byId("now"), html)
  }

  private pauseFacts(run: Run): string {
    const first = firstPauseOf(run)
    if (first < 0) return "<p>No queue with packets is held in any sample.</p>"
    return `<p><button data-time="${first}">first pause at ${us(first)}</button></p>`
  }

  /** victimFacts has the flows that wait behind roots that they do not pass, the slowest first. */
  private victimFacts(run: Run): string {
    const victims = this.victims.get(run)
    if (!victims) return ""
    if (victims.length === 0) return "<p>No victim: no flow waits behind a root that it does not pass.</p>"
    const most = 8
    let html = "<table class=victims><tr><th>victim</th><th>slowdown</th><th>behind root</th><th>held</th></tr>"
    for (const v of victims.slice(0, most)) {
      const slow = v.slowdown === Infinity ? "never over" : `${Number(v.slowdown.toPrecision(3))} times`
      html += `<tr><td>${this.flowLink(v.flow)}</td><td>${slow}</td><td>${this.swatch(v.root)}` +
        `${this.portLink(v.root)}</td><td><button class="link" data-flow="${v.flow}" data-time="${v.held}">` +
        `from ${us(v.held)}</button></td></tr>`
    }
    return html + "</table>" + (victims.length > most ? `<p>and ${victims.length - most} more</p>` : "")
  }

  /** choose chooses a port, a flow and a rank, -1 for none; a rank stays chosen with its port. */
  choose(port: number, flow: number, rank = port === this.chosen.port ? this.chosen.rank : -1): void {
    this.chosen = { port, flow, rank }
    this.describe(port, flow)
    this.soon()
    if (!this.playing) history.replaceState(null, "", this.address())
  }

  /** point notes the port at the pointer: the panel is about it while no port is chosen. */
  private point(port: number): void {
    this.hover = port
    this.soon()
    clearTimeout(this.resting)
    this.resting = window.setTimeout(() => {
      if (port >= 0 && this.chosen.port < 0) this.describe(port, this.chosen.flow)
    }, 150)
  }

  /** describe makes the panel about a port and a flow. */
  private describe(port: number, flow: number): void {
    this.about = { port, flow }
    for (const c of this.charts.splice(0)) c.destroy()
    byId("chosen").innerHTML = `<div id="facts"></div><div id="plots"></div><div id="life"></div>`
    const plots = byId("plots"), go = (t: number) => this.go(t), marker = () => this.time()
    const draw = (title: string, series: Series[]) => {
      this.charts.push(chart(plots, title, series, this.theme, marker, go))
    }
    if (port >= 0) {
      const all = this.shown.map(run => ({ run, ...seriesOf(run, port) }))
      draw(`${this.n.name(port)}: kB waiting`, all.map(s => ({ run: s.run, values: s.kB })))
      draw(`${this.n.name(port)}: Gb/s sent`, all.map(s => ({ run: s.run, values: s.rate })))
      draw(`${this.n.name(port)}: % of the time held`, all.map(s => ({ run: s.run, values: s.held })))
    }
    if (flow >= 0) {
      draw(`flow:${flow}: kB received`, this.shown.filter(run => run.has(flow)).map(run => {
        const t = run.tracks.received, ids = t.where(0, flow)
        const got = ids.length ? t.series(ids)[0] : new Float64Array(run.times.length)
        const end = run.info.FCT[flow] < 0 ? Infinity : run.start(flow) + run.info.FCT[flow]
        const full = run.flows.Bytes[flow]
        return { run, values: [...got].map((x, i) => (run.times[i] >= end ? full : x) / 1000) }
      }))
      byId("life").innerHTML = this.life(flow)
    }
    this.tellChosen()
  }

  private tellChosen(): void {
    const facts = document.getElementById("facts")
    if (!facts) return
    let html = ""
    if (this.chosen.rank >= 0) html += this.rankFacts(this.chosen.rank)
    if (this.about.port >= 0) html += this.portFacts(this.about.port)
    if (this.about.flow >= 0) html += this.flowFacts(this.about.flow)
    facts.innerHTML = html || "<h2>Nothing chosen</h2><p>Point at a link near the end that sends, " +
      "click to keep it, or search for a port or a flow.</p>"
  }

  /** rankFacts has what a rank does at the clock, or at the instant at which it was chosen. */
  private rankFacts(id: number): string {
    const time = this.instant ?? this.time()
    const link: Links = {
      port: (node, port) => {
        const known = this.n.find(`${node}:${port}`)
        return known < 0 ? plain.port(node, port) : this.portLink(known)
      },
      flow: flow => this.flowLink(flow),
      time: at => `<button class="link" data-time="${at}">${us(at)}</button>`,
    }
    let html = ""
    for (const run of this.shown) {
      const { info, ranks } = run, row = ranks?.row(id) ?? -1
      if (!ranks || row < 0) continue
      if (!html) html = `<h2>${escape(ranks.name(row))}, at ${us(time)}</h2>`
      html += `<h3>${escape(info.Label)}: on host ${ranks.host(row)}</h3>` +
        rankWords(ranks, row, time, this.stateNames(), link).map(words => `<p>${words}</p>`).join("") +
        this.rootsBehind(run, ranks.span(row, time).cause)
    }
    return html
  }

  /** rootsBehind says what a port waited for at the sample, if its pause names no root. */
  private rootsBehind(run: Run, cause: Cause | null): string {
    const port = cause && !cause.root ? this.n.find(`${cause.node}:${cause.port}`) : -1
    const t = run.tracks.held, { rootOf } = this.trees(run)
    const queues = t.where(0, port).filter(id => t.state[id]).map(id => queueOf(port, t.keys[1][id]))
    const roots = [...new Set(queues.flatMap(q => rootOf.get(q) ?? []).map(portOf))].slice(0, 4)
    if (roots.length === 0) return ""
    return `<p>at ${us(run.times[run.sample])} port ${this.portLink(port)} waits for ` +
      `${roots.map(root => this.swatch(root) + this.portLink(root)).join(", ")}</p>`
  }

  private portFacts(port: number): string {
    const p = this.n.ports[port]
    let html = `<h2>Port ${this.n.name(port)} to ${this.portLink(p.back)}, ${p.rate / 1e9} Gb/s</h2>`
    for (const run of this.shown) {
      const now = portNow(run, port), trees = this.trees(run)
      html += `<h3>${escape(run.info.Label)}: ${(now.backlog / 1000).toFixed(1)} kB wait` +
        `${now.down ? ", <span class=alarm>link down</span>" : ""}</h3>`
      const gbps = run.span() ? (now.sent * 8000) / run.span() : 0
      html += `<p>since the sample before: ${gbps.toFixed(1)} Gb/s, held ${(now.heldShare * 100).toFixed(0)} % ` +
        `of the time, ${now.pauses} pauses, ${now.ce} CE, ${now.ue} UE, ${now.lost} lost</p>`
      for (const iq of now.isolated) {
        html += `<p>q${iq.queue} isolates root ${this.swatch(iq.root)}${this.portLink(iq.root)}: ` +
          `${states[iq.state]}</p>`
      }
      html += this.heldFacts(now, p.peer)
      html += this.waitingFacts(now, port, trees)
    }
    return html
  }

  private heldFacts(now: PortNow, peer: number): string {
    let html = ""
    for (const q of now.held) {
      const behind = now.waitsFor.filter(w => w[0] === q)
      html += `<p>q${q} is held by node ${peer}` + (behind.length ? ", until there leaves what waits at " +
        behind.slice(0, 4).map(w => `${this.portLink(w[1])} q${w[2]}`).join(", ") +
        (behind.length > 4 ? ` and ${behind.length - 4} more` : "") : "") + "</p>"
    }
    return html
  }

  private waitingFacts(now: PortNow, port: number, trees: Trees): string {
    if (now.waiting.length === 0) return ""
    let html = "<table><tr><th>flow</th><th>queue</th><th>kB</th><th>behind</th></tr>"
    for (const w of now.waiting.slice(0, 12)) {
      const roots = trees.rootOf.get(port * 65536 + w.queue) ?? []
      const behind = now.held.includes(w.queue) && roots.length
        ? `${this.swatch(portOf(roots[0]))}${queueName(this.n, roots[0])}` + (roots.length > 1 ? " ..." : "") : ""
      html += `<tr><td>${this.flowLink(w.flow)}</td><td>q${w.queue}</td>` +
        `<td>${(w.bytes / 1000).toFixed(1)}</td><td>${behind}</td></tr>`
    }
    if (now.waiting.length > 12) html += `<tr><td colspan=4>and ${now.waiting.length - 12} more</td></tr>`
    return html + "</table>"
  }

  /** flowFacts has the flow of a number of each list that runs have. */
  private flowFacts(flow: number): string {
    return this.n.about.Flows.map(list => {
      const runs = this.shown.filter(run => run.flows === list && run.has(flow))
      return runs.length > 0 ? this.oneFlow(list, runs, flow) : ""
    }).join("")
  }

  private oneFlow(a: FlowList, runs: Run[], flow: number): string {
    const start = runs[0].ranks?.isMessage(flow) ? "" : `, starts at ${us(a.Start[flow])}`
    let html = `<h2>flow:${flow}, ${a.Group[flow]}: host ${a.Src[flow]} to host ${a.Dst[flow]}, ` +
      `${a.Bytes[flow]} bytes, class ${a.Class[flow]}${start}</h2>`
    html += "<table><tr><th>run</th><th>completes in</th><th>alone</th><th>now</th></tr>"
    for (const run of runs) {
      const fct = run.info.FCT[flow], t = run.tracks.waiting, where: string[] = []
      for (const id of t.where(2, flow)) {
        if (t.state[id]) where.push(`${this.portLink(t.keys[0][id])} ${(t.state[id] / 1000).toFixed(1)} kB`)
      }
      const start = run.start(flow)
      const sent = run.ranks?.isMessage(flow) && start < Infinity ? `sent at ${us(start)}; ` : ""
      const state = this.time() < start ? "not begun"
        : fct >= 0 && this.time() >= start + fct ? "over" : where.join(", ") || "under way"
      html += `<tr><td>${escape(run.info.Label)}</td><td>${fct < 0 ? "never" : us(fct)}</td>` +
        `<td>${us(run.info.Ideal[flow])}</td><td>${sent}${state}</td></tr>`
    }
    return html + "</table>"
  }

  /** life says where the packets of a flow waited over the whole run. */
  private life(flow: number): string {
    let html = ""
    for (const run of this.shown.filter(run => run.has(flow))) {
      const stays = lifeOf(run, flow, () => treesOf(run)), way = run.way(flow, Infinity)
      html += `<h3>Where flow:${flow} waits under ${escape(run.info.Label)}, in samples</h3>` +
        "<table><tr><th>port</th><th>waits</th><th>held</th><th>behind root</th></tr>"
      const others = stays.map(s => s.port).filter(p => !way.includes(p))
      for (const port of [...way, ...others]) {
        const s = stays.find(s => s.port === port)
        const behind = [...(s?.behind ?? [])].sort((a, b) => b[1] - a[1]).slice(0, 3)
          .map(([root, n]) => `${this.swatch(root)}${this.portLink(root)} (${n})`).join(", ")
        html += `<tr><td>${this.portLink(port)}${way.includes(port) ? "" : " (answers)"}</td>` +
          `<td>${s?.samples ?? 0}</td><td>${s?.held ?? 0}</td><td>${behind}</td></tr>`
      }
      html += "</table>"
    }
    return html
  }

  // ---- what one can do

  private controls(): void {
    const on = (id: string, event: string, act: (e: Event) => void) => byId(id).addEventListener(event, act)
    on("play", "click", () => this.play(!this.playing))
    on("back", "click", () => this.move(this.index - 1))
    on("on", "click", () => this.move(this.index + 1))
    on("clock", "input", () => {
      this.playing = false
      byId("play").textContent = "play"
      this.move(Number(byId<HTMLInputElement>("clock").value))
    })
    on("fit", "click", () => this.fit())
    on("svg", "click", () => this.save())
    on("theme", "click", () => {
      const root = document.documentElement
      root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"
      this.theme = readTheme()
      this.build()
    })
    on("search", "change", () => this.search(byId<HTMLInputElement>("search").value))
    document.querySelector("aside")!.addEventListener("click", e => {
      const button = (e.target as HTMLElement).closest("button")
      if (button?.dataset.port) this.choose(Number(button.dataset.port), this.chosen.flow)
      if (button?.dataset.flow) this.choose(this.chosen.port, Number(button.dataset.flow))
      if (button?.dataset.time) this.go(Number(button.dataset.time))
    })
    document.addEventListener("keydown", e => this.key(e))
    window.addEventListener("resize", () => this.build())
  }

  private key(e: KeyboardEvent): void {
    if ((e.target as HTMLElement).matches("input:not([type=range]), select") || e.ctrlKey || e.metaKey) return
    const speed = byId<HTMLSelectElement>("speed"), far = e.shiftKey ? 10 : 1
    const act: Record<string, () => void> = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.move(this.index - far), ArrowRight: () => this.move(this.index + far),
      Home: () => this.move(0), End: () => this.move(this.instants.length - 1),
      "+": () => { speed.selectedIndex = Math.min(speed.options.length - 1, speed.selectedIndex + 1) },
      "-": () => { speed.selectedIndex = Math.max(0, speed.selectedIndex - 1) },
      "0": () => this.fit(), "/": () => byId("search").focus(),
      Escape: () => this.choose(-1, -1),
    }
    if (e.key === " " && (e.target as HTMLElement).matches("button, summary")) return
    const shown = this.timelines.find(t => t.canvas === e.target)
    if (shown && this.chosen.rank >= 0) {
      act.ArrowUp = () => this.stepRank(shown.ranks, -1)
      act.ArrowDown = () => this.stepRank(shown.ranks, 1)
    }
    if (act[e.key]) {
      e.preventDefault()
      act[e.key]()
    }
  }

  /** stepRank chooses the rank some rows below. */
  private stepRank(ranks: Ranks, by: number): void {
    const next = ranks.rows[ranks.row(this.chosen.rank) + by]
    if (next) this.chooseRank(next.id, ranks)
  }

  /** search chooses the port, host, flow or rank of a name. */
  search(text: string): void {
    const flow = /^flow:?\s*(\d+)$/.exec(text.trim()), node = /^(?:host|node)?\s*(\d+)$/.exec(text.trim())
    const port = this.n.find(text.trim())
    const rank = this.findRank(/^rank:?\s*(.*)$/.exec(text.trim())?.[1] ?? "")
    byId("found").textContent = ""
    if (flow && this.runs.some(r => r.has(Number(flow[1])))) this.choose(this.chosen.port, Number(flow[1]))
    else if (rank >= 0) this.chooseRank(rank)
    else if (port >= 0) this.choose(port, this.chosen.flow)
    else if (node && Number(node[1]) < this.n.first.length) {
      this.choose(this.n.first[Number(node[1])], this.chosen.flow)
    } else byId("found").textContent = `nothing is named ${text}`
  }

  /** fit shows the whole network, and the whole timelines. */
  private fit(): void {
    this.setView(null)
    this.setPart(null)
  }

  private setView(view: View | null): void {
    this.view = view
    for (const p of this.pictures) p.view = view ?? p.fit()
    this.soon()
    if (!this.playing) history.replaceState(null, "", this.address())
  }

  private mouse(p: Picture): void {
    let from: { x: number; y: number; view: View; moved: boolean } | null = null
    const c = p.canvas
    c.addEventListener("wheel", e => {
      e.preventDefault()
      const at = p.plane(e.offsetX, e.offsetY), factor = Math.exp(-e.deltaY / 400)
      const scale = Math.min(400, Math.max(0.5, p.view.scale * factor)), f = p.view.scale / scale
      this.setView({ scale, x: at.x - (at.x - p.view.x) * f, y: at.y - (at.y - p.view.y) * f })
    }, { passive: false })
    c.addEventListener("pointerdown", e => {
      from = { x: e.offsetX, y: e.offsetY, view: { ...p.view }, moved: false }
      c.setPointerCapture(e.pointerId)
    })
    c.addEventListener("pointermove", e => {
      if (!from) {
        const port = p.nearest(e.offsetX, e.offsetY)
        return port === this.hover ? undefined : this.point(port)
      }
      const dx = e.offsetX - from.x, dy = e.offsetY - from.y
      if (!from.moved && Math.hypot(dx, dy) < 4) return
      from.moved = true
      const { scale, x, y } = from.view
      this.setView({ scale, x: x - dx / scale, y: y - dy / scale })
    })
    c.addEventListener("pointerleave", () => this.point(-1))
    c.addEventListener("pointerup", e => {
      if (from && !from.moved) this.choose(p.nearest(e.offsetX, e.offsetY), this.chosen.flow)
      from = null
    })
  }

  /** picture returns what is seen as SVG. */
  picture(): string {
    const [width, height] = this.pictures[0]?.size() ?? [1, 1], top = 22
    const total = this.pictures.length * (height + top)
    let out = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" ` +
      `viewBox="0 0 ${width} ${total}"><rect width="100%" height="100%" fill="${this.theme.page}"/>\n`
    this.pictures.forEach((p, i) => {
      const y = i * (height + top)
      out += `<text x="8" y="${y + 15}" fill="${this.theme.text}" font-size="13" ` +
        `font-family="system-ui, sans-serif">${escape(p.run.info.Label)} at ${us(this.time())}</text>` +
        p.svg(this.theme, this.trees(p.run), this.chosen, y + top)
    })
    return out + "</svg>\n"
  }

  private save(): void {
    const a = document.createElement("a")
    a.href = URL.createObjectURL(new Blob([this.picture()], { type: "image/svg+xml" }))
    a.download = `${this.n.about.Scenario.replace(/\W+/g, "-")}-${this.time() / 1e6}us.svg`
    a.click()
    URL.revokeObjectURL(a.href)
  }
}

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`

const pauses = new Map<Run, number>()
function firstPauseOf(run: Run): number {
  if (!pauses.has(run)) pauses.set(run, firstPause(run))
  return pauses.get(run)!
}

const since = new Map<Run, number>()
function standsSinceOf(run: Run): number {
  if (!since.has(run)) since.set(run, standsSince(run))
  return since.get(run)!
}

/** keepOpen replaces what is inside, and leaves open what was open. */
function keepOpen(into: HTMLElement, html: string): void {
  const open = [...into.querySelectorAll("details")].map(d => d.open)
  into.innerHTML = html
  into.querySelectorAll("details").forEach((d, i) => { d.open = open[i] ?? false })
}

function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    text: of("text"), faint: of("faint"), busy: of("busy"), bar: of("bar"), page: of("page"),
    alarm: of("alarm"),
    roots: ["#e69f00", "#0072b2", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#b8a800"],
  }
}

declare global { interface Window { sluice: unknown } }

void load().then(({ network, runs }) => {
  const app = new App(network, runs)
  // For tests, and for questions that the page does not answer.
  window.sluice = {
    app, network, runs,
    port: (run: number, name: string) => portNow(runs[run], network.find(name)),
    time: () => app.time(), picture: () => app.picture(), frames: () => app.frames,
  }
})
