// The network at a sample, as shapes: a canvas per run.
import { Network, Port, Run } from "./data"
import { Place } from "./layout"
import { Pixels } from "./pixels"
import { Scene } from "./scene"
import { Trees, portOf, queueOf } from "./trees"

/** Theme has the colours of the page's style, which knows light and dark. */
export interface Theme {
  text: string; faint: string; busy: string; bar: string; page: string; alarm: string
  roots: string[] // of Okabe and Ito: the colour-blind distinguish them
}

/** View is how the plane lies on the canvas: pixels to a unit, and the plane's point in the middle. */
export interface View { scale: number; x: number; y: number }

type Ends = [number, number, number, number]

/** alphas are shades of a link's share that was sent: none, and up to a quarter, a half, more. */
const alphas = [0, 0.27, 0.47, 0.67, 0.87]

export interface Chosen { port: number; flow: number }

/** dashes of held queues, by the sign of what they wait for. */
const dashes = ["6 3", "2 3", "10 3 2 3", "1 5"]

/**
 * Colours gives roots colours, the same in every run, which they keep until others need them. Where
 * there are more roots than colours, those that share one differ in their sign.
 */
export class Colours {
  private readonly known = new Map<number, number>()
  private taken = new Set<number>()

  /** now says which ports are roots at the moment: none has the colour and sign of another. */
  now(theme: Theme, roots: number[]): void {
    this.taken = new Set()
    for (const port of roots) {
      const i = this.known.get(port)
      if (i !== undefined && this.taken.has(i)) this.known.delete(port)
      else if (i !== undefined) this.taken.add(i)
    }
    for (const port of roots) this.place(port)
    // A root that has a sign takes a colour of its own that has become free.
    for (const port of roots) {
      if (this.place(port) < theme.roots.length) continue
      const free = theme.roots.findIndex((_, i) => !this.taken.has(i))
      if (free < 0) break
      this.taken.delete(this.place(port))
      this.taken.add(free)
      this.known.set(port, free)
    }
  }

  private place(port: number): number {
    let i = this.known.get(port)
    if (i === undefined) {
      for (i = 0; this.taken.has(i); i++);
      this.taken.add(i)
      this.known.set(port, i)
    }
    return i
  }

  of(theme: Theme, port: number): string { return theme.roots[this.place(port) % theme.roots.length] }

  /** sign is "" for the first root of a colour, 2 for the second, and so on. */
  sign(theme: Theme, port: number): string {
    const round = Math.floor(this.place(port) / theme.roots.length)
    return round === 0 ? "" : String(round + 1)
  }

  dash(theme: Theme, port: number): string {
    return dashes[Math.floor(this.place(port) / theme.roots.length) % dashes.length]
  }
}

/** Picture draws one run. */
export class Picture {
  view: View = { scale: 1, x: 0, y: 0 }
  private width = 1
  private height = 1
  private known = "" // what the following is of
  private pixels!: Pixels
  private readonly lines: Float64Array // by port: where it begins and ends on the canvas
  private readonly shades: Uint8Array // by port, as they are in pixels
  private readonly next: Uint8Array
  private readonly counts: number[] = [] // nodes by tier

  constructor(
    readonly canvas: HTMLCanvasElement, private readonly n: Network, private readonly places: Place[],
    readonly run: Run, private readonly colours: Colours,
  ) {
    this.lines = new Float64Array(4 * n.ports.length)
    this.shades = new Uint8Array(n.ports.length)
    this.next = new Uint8Array(n.ports.length)
    for (const tier of n.about.Tier) this.counts[tier] = (this.counts[tier] ?? 0) + 1
  }

  /** resize takes the size of the canvas on the page. */
  resize(): void {
    const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio
    this.canvas.width = Math.max(1, Math.floor(box.width * ratio))
    this.canvas.height = Math.max(1, Math.floor(box.height * ratio))
    this.width = this.canvas.width / ratio
    this.height = this.canvas.height / ratio
    // A pixel of the canvas is one of the screen, or it would be blurred.
    this.canvas.style.cssText = `flex: none; width: ${this.width}px; height: ${this.height}px`
    this.known = ""
  }

  /** fit returns the view that shows the whole network. */
  fit(): View {
    const xs = this.places.map(p => p.x), ys = this.places.map(p => p.y)
    const [left, right] = [Math.min(...xs) - 1.2, Math.max(...xs) + 1.2]
    const [top, bottom] = [Math.min(...ys) - 1.2, Math.max(...ys) + 1.2]
    const scale = Math.min(this.width / (right - left), this.height / (bottom - top))
    return { scale, x: (left + right) / 2, y: (top + bottom) / 2 }
  }

  place(node: number): Place {
    const p = this.places[node], v = this.view
    return {
      x: (p.x - v.x) * v.scale + this.width / 2, y: (p.y - v.y) * v.scale + this.height / 2,
    }
  }

  plane(x: number, y: number): Place {
    const v = this.view
    return { x: (x - this.width / 2) / v.scale + v.x, y: (y - this.height / 2) / v.scale + v.y }
  }

  /** ends returns a direction of a link on the canvas. */
  private ends(port: number): Ends {
    const l = this.lines, i = 4 * port
    return [l[i], l[i + 1], l[i + 2], l[i + 3]]
  }

  /** between puts a direction beside the other, on the right as one goes. */
  private between(p: Port): Ends {
    const a = this.place(p.node), b = this.place(p.peer)
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1
    const off = Math.min(4, Math.max(1, this.view.scale / 9)), cut = Math.min(0.3, this.radius() / length)
    const ox = (-dy / length) * off, oy = (dx / length) * off
    return [a.x + dx * cut + ox, a.y + dy * cut + oy, b.x - dx * cut + ox, b.y - dy * cut + oy]
  }

  /** thin is what lines are thinned by where many are close together. */
  private thin(): number { return Math.min(1, Math.max(0.4, this.view.scale / 14)) }

  private radius(): number { return Math.min(10, Math.max(1.5, this.view.scale * 0.28)) }

  /** nearest returns the port whose line is next to a point of the canvas, -1 if none is near. */
  nearest(x: number, y: number): number {
    let best = -1, least = 8
    for (const p of this.n.ports) {
      const [x1, y1, x2, y2] = this.ends(p.id), dx = x2 - x1, dy = y2 - y1
      const along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)
      const t = Math.min(1, Math.max(0, along))
      // Of the two directions the one whose sender is nearer, if they are as near.
      const distance = Math.hypot(x - x1 - t * dx, y - y1 - t * dy) + t * 0.5
      if (distance < least) [best, least] = [p.id, distance]
    }
    return best
  }

  draw(theme: Theme, trees: Trees, chosen: Chosen, hover: number): void {
    this.settle(theme)
    this.shade()
    this.pixels.begin()
    this.foreground(this.pixels, theme, trees, chosen, hover)
    this.pixels.show(this.canvas.getContext("2d")!)
  }

  /** settle makes anew what depends on the view, if that is another. */
  private settle(theme: Theme): void {
    const key = `${theme.page}${this.view.scale},${this.view.x},${this.view.y}`
    if (this.known === key) return
    this.known = key
    for (const p of this.n.ports) this.lines.set(this.between(p), 4 * p.id)
    const { width, height } = this.canvas
    const background = this.background(theme)
    this.pixels = new Pixels(width, height, window.devicePixelRatio, background, theme.page, theme.busy)
    this.shades.fill(0)
  }

  /** svg returns the same as a picture. */
  svg(theme: Theme, trees: Trees, chosen: Chosen, top: number): string {
    const scene = new Scene()
    this.settle(theme)
    this.utilisation((port, step) => {
      const stroke = theme.busy + Math.round(255 * alphas[step]).toString(16)
      scene.line({ stroke, width: this.wide(step) }, ...this.ends(port))
    })
    this.foreground(scene, theme, trees, chosen, -1)
    return `<g transform="translate(0 ${top})">${this.background(theme).svg()}${scene.svg()}</g>\n`
  }

  size(): [number, number] { return [this.width, this.height] }

  private background(theme: Theme): Scene {
    const s = new Scene(), style = { stroke: theme.faint, width: 0.7 }
    for (const p of this.n.ports) s.line(style, ...this.ends(p.id))
    const host = { fill: theme.text }, device = { fill: theme.page, stroke: theme.text, width: 1.3 }
    const label = { fill: theme.text, font: 10 }
    this.places.forEach((_, node) => {
      const { x, y } = this.place(node), r = this.radius()
      if (this.n.isHost(node)) s.dot(host, x, y, r * 0.6)
      else s.box(device, x, y, r)
    })
    this.rates(s, theme)
    this.places.forEach((_, node) => {
      const { x, y } = this.place(node), below = this.n.isHost(node) ? this.radius() + 8 : 0.5
      if (this.view.scale > 21) s.text(label, x, y + below, String(node))
    })
    return s
  }

  /** rates writes the rate of each link beside its middle, where the links are far enough apart. */
  private rates(s: Scene, theme: Theme): void {
    const style = { fill: theme.text, stroke: theme.page, width: 3, font: 9 }
    for (const p of this.n.ports) {
      if (p.back < p.id) continue
      const [x1, y1, x2, y2] = this.ends(p.id), room = Math.hypot(x2 - x1, y2 - y1)
      const host = this.n.isHost(p.node) || this.n.isHost(p.peer)
      if (room < 60 || this.view.scale < (host ? 40 : 21)) continue
      // Not in the middle, where links cross.
      s.text(style, x1 + (x2 - x1) * 0.4, y1 + (y2 - y1) * 0.4, `${Number((p.rate / 1e9).toPrecision(3))}G`)
    }
  }

  private foreground(s: Scene, theme: Theme, trees: Trees, chosen: Chosen, hover: number): void {
    this.backlogs(s, theme, trees)
    this.heldQueues(s, theme, trees)
    this.events(s, theme)
    if (trees.circle) this.circle(s, theme)
    if (chosen.flow >= 0) {
      for (const port of this.run.way(chosen.flow, this.time())) {
        s.line({ stroke: theme.text, width: 1.6, dash: "1 3" }, ...this.ends(port))
      }
    }
    this.names(s, theme)
    for (const port of [chosen.port, hover]) {
      if (port < 0) continue
      const [x1, y1, x2, y2] = this.ends(port)
      s.line({ stroke: theme.text, width: 1 }, x1, y1, x2, y2)
      s.dot({ stroke: theme.text, width: 2 }, x1, y1, this.radius() + 3)
    }
  }

  /** names names switches above the map's lines, where there is room and they do not have theirs. */
  private names(s: Scene, theme: Theme): void {
    if (this.view.scale > 21) return
    const tiers = this.n.about.Tier, style = { fill: theme.text, stroke: theme.page, width: 3, font: 10 }
    tiers.forEach((tier, node) => {
      if (tier === 0 || this.counts[tier] * 28 >= this.width) return
      const { x, y } = this.place(node)
      s.text(style, x, y - this.radius() - 8, String(node))
    })
  }

  private time(): number { return this.run.sample < 0 ? 0 : this.run.times[this.run.sample] }

  /** utilisation visits the ports that sent since the last sample, with the shade of their share. */
  private utilisation(visit: (port: number, step: number) => void): void {
    const span = this.run.span(), t = this.run.tracks.sent
    if (span <= 0) return
    t.since((id, bytes) => {
      const port = t.keys[0][id], share = (bytes * 8e12) / span / this.n.ports[port].rate
      visit(port, Math.max(0, Math.min(4, Math.ceil(share * 4))))
    })
  }

  private wide(step: number): number { return (0.8 + step / 2.5) * this.thin() }

  /** shade draws the links anew whose shades are others than before. */
  private shade(): void {
    const { next, shades, pixels } = this, strokes = alphas.map((alpha, step) => ({ alpha, width: this.wide(step) }))
    next.fill(0)
    this.utilisation((port, step) => { next[port] = step })
    for (let port = 0; port < next.length; port++) {
      const was = shades[port], is = next[port]
      if (was === is) continue
      const [x1, y1, x2, y2] = this.ends(port)
      pixels.restroke(strokes[was], strokes[is], x1, y1, x2, y2)
      shades[port] = is
    }
  }

  /** heldQueues draws ports of held queues, in the colour of what they wait for. */
  private heldQueues(s: Scene, theme: Theme, trees: Trees): void {
    const t = this.run.tracks.held
    t.each(id => {
      const roots = trees.rootOf.get(queueOf(t.keys[0][id], t.keys[1][id]))
      const stroke = roots ? this.colours.of(theme, portOf(roots[0])) : theme.text
      const dash = roots ? this.colours.dash(theme, portOf(roots[0])) : dashes[0]
      s.line({ stroke, width: 3 * this.thin(), dash }, ...this.ends(t.keys[0][id]))
      if (roots) this.sign(s, theme, portOf(roots[0]), t.keys[0][id], 0.5)
    })
    for (const { port } of trees.roots) {
      const [x1, y1, x2, y2] = this.ends(port), radius = this.radius() * 0.9 + 1.5
      const on = radius / (Math.hypot(x2 - x1, y2 - y1) || 1), fill = this.colours.of(theme, port)
      s.dot({ fill, stroke: theme.page, width: 1.5 }, x1 + (x2 - x1) * on, y1 + (y2 - y1) * on, radius)
      this.sign(s, theme, port, port, on)
    }
    const iq = this.run.tracks.isolated, count = new Map<number, number>()
    iq.each(id => {
      const [x1, y1, x2, y2] = this.ends(iq.keys[0][id]), port = iq.keys[0][id]
      const i = count.get(port) ?? 0, t = Math.min(0.9, (14 + 8 * i) / (Math.hypot(x2 - x1, y2 - y1) || 1))
      count.set(port, i + 1)
      const fill = this.colours.of(theme, iq.keys[2][id])
      s.box({ fill, stroke: theme.text, width: 0.8 }, x1 + (x2 - x1) * t, y1 + (y2 - y1) * t, 3.4 * this.thin())
      this.sign(s, theme, iq.keys[2][id], port, t)
    })
  }

  /**
   * sign writes the sign of a root, if it has one, at a part of a direction of a link; at what waits
   * for it only where there is room, as dashes tell its lines apart.
   */
  private sign(s: Scene, theme: Theme, root: number, port: number, part: number): void {
    const sign = this.colours.sign(theme, root)
    if (sign === "" || root !== port && this.thin() < 1) return
    const [x1, y1, x2, y2] = this.ends(port)
    const style = { fill: theme.text, stroke: theme.page, width: 3, font: 10 }
    s.text(style, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part, sign)
  }

  /** backlogs draws what ports hold as a bar from the sender's end, 400 kB as half the line. */
  private backlogs(s: Scene, theme: Theme, trees: Trees): void {
    const roots = new Set(trees.roots.map(r => r.port))
    const t = this.run.tracks.backlog
    t.each((id, bytes) => {
      const port = t.keys[0][id], [x1, y1, x2, y2] = this.ends(port)
      const part = Math.min(1, 0.5 * Math.sqrt(bytes / 400_000))
      const stroke = roots.has(port) ? this.colours.of(theme, port) : theme.bar
      s.line({ stroke, width: 5 * this.thin() }, x1, y1, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)
    })
  }

  /** events draws losses and marks since the last sample, and links that are down. */
  private events(s: Scene, theme: Theme): void {
    const { marksCE, marksUE, lost, down } = this.run.tracks
    for (const marks of [marksCE, marksUE]) {
      marks.since(id => {
        const [x1, y1, x2, y2] = this.ends(marks.keys[0][id])
        const style = { stroke: theme.text, width: 1.2, fill: marks === marksUE ? theme.page : theme.text }
        s.dot(style, x1 + (x2 - x1) * 0.3, y1 + (y2 - y1) * 0.3, 2.2)
      })
    }
    const cross = (x: number, y: number, half: number) => {
      const style = { stroke: theme.alarm, width: 2.5 }
      s.line(style, x - half, y - half, x + half, y + half)
      s.line(style, x - half, y + half, x + half, y - half)
    }
    lost.since(id => {
      const [x1, y1] = this.ends(lost.keys[0][id])
      cross(x1, y1, 5)
    })
    down.each(id => {
      const [x1, y1, x2, y2] = this.ends(down.keys[0][id])
      s.line({ stroke: theme.alarm, width: 1.5, dash: "2 4" }, x1, y1, x2, y2)
      cross((x1 + x2) / 2, (y1 + y2) / 2, 7)
    })
  }

  /** circle draws the deadlock that the result names. */
  private circle(s: Scene, theme: Theme): void {
    for (const [port] of this.run.info.Circle ?? []) {
      const [x1, y1, x2, y2] = this.ends(port)
      s.line({ stroke: theme.alarm, width: 6 }, x1, y1, x2, y2)
      const dx = x2 - x1, dy = y2 - y1, l = Math.hypot(dx, dy) || 1, [ux, uy] = [dx / l, dy / l]
      const [mx, my] = [x1 + dx * 0.6, y1 + dy * 0.6], style = { stroke: theme.alarm, width: 3 }
      s.line(style, mx, my, mx - 12 * ux - 8 * uy, my - 12 * uy + 8 * ux)
      s.line(style, mx, my, mx - 12 * ux + 8 * uy, my - 12 * uy - 8 * ux)
    }
  }
}
