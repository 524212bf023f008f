// What the ranks of a run do over time, as a row of bars for each rank, below the run's map.
import { Ranks } from "./ranks"
import { Theme } from "./picture"
import { us } from "./facts"

/** Part is the part of a timeline that is seen: of the time, in picoseconds, and of the rows. */
export interface Part { from: number; to: number; top: number; bottom: number }

/** Place is a rank at an instant. */
export interface Place { row: number; time: number }

/** Heard is what a timeline says to the page. */
export interface Heard {
  part(part: Part): void
  point(place: Place | null): void
  choose(place: Place): void
}

const left = 34, below = 16 // of the bars: room for numbers of ranks and times

/** whole is the part that has all ranks of runs, while they do anything. */
export function whole(all: Ranks[]): Part {
  return {
    from: Math.min(...all.map(r => r.begin)), to: Math.max(...all.map(r => r.end)),
    top: 0, bottom: Math.max(...all.map(r => r.rows.length)),
  }
}

/** highOf is how high a timeline is, in pixels, where there is so much room. */
export const highOf = (rows: number, room: number) =>
  Math.round(Math.max(64, Math.min(rows * 10 + below, room * 0.4)))

/** within moves and cuts a part so that it lies within another. */
function within(p: Part, all: Part): Part {
  const fit = (from: number, to: number, least: number, most: number): [number, number] => {
    const length = Math.min(to - from, most - least), at = Math.max(least, Math.min(from, most - length))
    return [at, at + length]
  }
  const [from, to] = fit(p.from, p.to, all.from, all.to)
  const [top, bottom] = fit(p.top, p.bottom, all.top, all.bottom)
  return { from, to, top, bottom }
}

export class Timeline {
  part: Part
  private width = 1
  private height = 1
  private bars: ImageData | null = null // of the part that is seen
  private readonly colours: number[][]

  constructor(
    readonly canvas: HTMLCanvasElement, readonly ranks: Ranks, colours: string[],
    private readonly all: Part, heard: Heard,
  ) {
    this.part = all
    this.colours = colours.map(rgb)
    this.mouse(heard)
  }

  resize(): void {
    const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio
    this.canvas.width = Math.max(1, Math.floor(box.width * ratio))
    this.canvas.height = Math.max(1, Math.floor(box.height * ratio))
    this.width = Math.max(1, this.canvas.width / ratio - left)
    this.height = Math.max(1, this.canvas.height / ratio - below)
    this.bars = null
  }

  show(part: Part | null): void {
    this.part = part ? within(part, this.all) : this.all
    this.bars = null
  }

  /** draw draws the bars, which stay until the part is another, and over them what changes. */
  draw(theme: Theme, time: number, chosen: number, hover: number): void {
    const c = this.canvas.getContext("2d")!, ratio = window.devicePixelRatio
    this.bars ??= this.paint(rgb(theme.page))
    c.setTransform(1, 0, 0, 1, 0, 0)
    c.fillStyle = theme.page
    c.fillRect(0, 0, this.canvas.width, this.canvas.height)
    c.putImageData(this.bars, Math.round(left * ratio), 0)
    c.setTransform(ratio, 0, 0, ratio, 0, 0)
    this.axes(c, theme)
    const frame = (row: number, width: number) => {
      const [y1, y2] = [this.y(row), this.y(row + 1)], high = Math.max(y2 - y1, 3)
      if (row < 0 || y2 < 0 || y1 > this.height) return
      c.lineWidth = width
      c.strokeStyle = theme.text
      c.strokeRect(left + 0.5, (y1 + y2 - high) / 2 - 0.5, this.width - 1, high)
    }
    frame(hover, 0.7)
    frame(chosen, 1.6)
    const x = this.x(time)
    if (x < left || x > left + this.width) return
    c.fillStyle = theme.alarm
    c.fillRect(x - 0.75, 0, 1.5, this.height)
  }

  private x(time: number): number {
    return left + (time - this.part.from) / (this.part.to - this.part.from) * this.width
  }
  private y(row: number): number {
    return (row - this.part.top) / (this.part.bottom - this.part.top) * this.height
  }

  /** plane returns where the pointer is, in rows and picoseconds. */
  private plane(e: MouseEvent): Place {
    const { from, to, top, bottom } = this.part
    return {
      row: top + e.offsetY / this.height * (bottom - top),
      time: from + (e.offsetX - left) / this.width * (to - from),
    }
  }

  /** at returns the rank and the instant at the pointer, null beside the bars. */
  private at(e: MouseEvent): Place | null {
    const { row, time } = this.plane(e), inside = e.offsetX >= left && e.offsetY < this.height
    return inside && row >= 0 && row < this.ranks.rows.length ? { row: Math.floor(row), time } : null
  }

  /**
   * paint makes the bars. A pixel has the colours of what ranks do in its time, each by its share:
   * where there are more ranks than lines of pixels, of all ranks of the line.
   */
  private paint(page: number[]): ImageData {
    const ratio = window.devicePixelRatio, width = Math.max(1, Math.floor(this.width * ratio))
    const height = Math.max(1, Math.floor(this.height * ratio))
    const image = new ImageData(width, height), out = new Uint32Array(image.data.buffer)
    const { top, bottom } = this.part, scale = height / (bottom - top)
    const states = this.colours.length, shares = new Float32Array(states * width)
    out.fill(packed(page))
    const line = (first: number, behind: number, y1: number, y2: number) => {
      shares.fill(0)
      for (let row = first; row < behind; row++) this.add(shares, row, 1 / (behind - first), width)
      for (let x = 0; x < width; x++) {
        let rest = 1
        const mixed = [0, 0, 0]
        for (let s = 0; s < states; s++) {
          const share = shares[states * x + s]
          rest -= share
          for (let k = 0; k < 3; k++) mixed[k] += share * this.colours[s][k]
        }
        if (rest < 0.999) out[y1 * width + x] = packed(mixed.map((m, k) => m + Math.max(0, rest) * page[k]))
      }
      for (let y = y1 + 1; y < y2; y++) out.copyWithin(y * width, y1 * width, (y1 + 1) * width)
    }
    const last = Math.min(this.ranks.rows.length, Math.ceil(bottom))
    if (scale >= 1) {
      for (let row = Math.floor(top); row < last; row++) {
        const y1 = Math.max(0, Math.round((row - top) * scale))
        const y2 = Math.min(height, Math.round((row + 1 - top) * scale))
        const gap = scale >= 4 ? Math.round(0.2 * scale) : 0
        if (y1 < y2) line(row, row + 1, y1, Math.max(y1 + 1, y2 - gap))
      }
      return image
    }
    for (let y = 0; y < height; y++) {
      const first = Math.round(top + y / scale), behind = Math.min(last, Math.round(top + (y + 1) / scale))
      if (first < behind) line(first, behind, y, y + 1)
    }
    return image
  }

  /** add adds the shares of what a row does in each pixel's time. */
  private add(shares: Float32Array, row: number, weight: number, width: number): void {
    const { start, from, to, state } = this.ranks, states = this.colours.length
    const perTime = width / (this.part.to - this.part.from)
    for (let i = Math.max(this.ranks.lastBefore(row, this.part.from), start[row]); i < start[row + 1]; i++) {
      const x1 = Math.max(0, (from[i] - this.part.from) * perTime)
      const x2 = Math.min(width, (to[i] - this.part.from) * perTime)
      if (x1 >= width) break
      for (let x = Math.floor(x1); x < x2; x++) {
        shares[states * x + state[i]] += weight * (Math.min(x2, x + 1) - Math.max(x1, x))
      }
    }
  }

  private axes(c: CanvasRenderingContext2D, theme: Theme): void {
    const { from, to, top, bottom } = this.part, { rows, first, jobs } = this.ranks
    c.font = "10px system-ui, sans-serif"
    c.fillStyle = theme.text
    c.textBaseline = "middle"
    c.textAlign = "right"
    const step = nice((bottom - top) / (this.height / 14))
    for (let row = Math.max(0, Math.floor(top)); row < Math.min(rows.length, bottom); row++) {
      const y = this.y(row + 0.5)
      if (rows[row].rank % step === 0 && y > 4 && y < this.height - 2) c.fillText(String(rows[row].rank), left - 4, y)
    }
    c.textAlign = "center"
    const every = nice((to - from) / (this.width / 90))
    for (let t = Math.ceil(from / every) * every; t <= to; t += every) {
      const x = Math.min(this.x(t), left + this.width - 24)
      c.fillText(us(t), x, this.height + below / 2)
      c.fillRect(this.x(t) - 0.25, this.height, 0.5, 3)
    }
    if (jobs.length === 1) return
    c.textAlign = "left"
    c.strokeStyle = theme.page
    c.lineWidth = 3
    jobs.forEach((j, job) => {
      const y = this.y(first[job])
      if (y > this.height - 8 || this.y(first[job + 1]) < 8) return
      c.fillRect(0, y - 0.5, left + this.width, 1)
      c.strokeText(j.Name, left + 4, Math.max(y, 0) + 7)
      c.fillText(j.Name, left + 4, Math.max(y, 0) + 7)
    })
  }

  private mouse(heard: Heard): void {
    const c = this.canvas
    let from: { x: number; y: number; part: Part; moved: boolean } | null = null
    c.addEventListener("wheel", e => {
      e.preventDefault()
      const by = Math.exp((e.deltaY || e.deltaX) / 400), p = this.part, at = this.plane(e)
      if (e.shiftKey) {
        const [top, bottom] = zoom(p.top, p.bottom, at.row, by, 1)
        return heard.part({ ...p, top, bottom })
      }
      const [from, to] = zoom(p.from, p.to, at.time, by, 1000)
      heard.part({ ...p, from, to })
    }, { passive: false })
    c.addEventListener("pointerdown", e => {
      from = { x: e.offsetX, y: e.offsetY, part: this.part, moved: false }
      c.setPointerCapture(e.pointerId)
    })
    c.addEventListener("pointermove", e => {
      if (!from) return heard.point(this.at(e))
      const dx = e.offsetX - from.x, dy = e.offsetY - from.y, p = from.part
      if (!from.moved && Math.hypot(dx, dy) < 4) return
      from.moved = true
      const later = dx / this.width * (p.to - p.from), lower = dy / this.height * (p.bottom - p.top)
      heard.part({
        from: p.from - later, to: p.to - later, top: p.top - lower, bottom: p.bottom - lower,
      })
    })
    c.addEventListener("pointerleave", () => heard.point(null))
    c.addEventListener("pointerup", e => {
      const at = this.at(e)
      if (from && !from.moved && at) heard.choose(at)
      from = null
    })
  }
}

/** zoom makes a range larger about a point by a factor, and not less than the least. */
function zoom(from: number, to: number, at: number, by: number, least: number): [number, number] {
  const factor = Math.max(by, least / (to - from))
  return [at - (at - from) * factor, at + (to - at) * factor]
}

const rgb = (text: string) => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16))
const packed = (c: number[]) => (0xff000000 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0

/** nice returns the least of 1, 2, 5, 10, 20 ... that is not below a number, 1 at least. */
function nice(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, least))))
  return power * ([1, 2, 5].find(f => f * power >= least) ?? 10)
}
