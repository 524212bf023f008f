// Lines as pixels: without a graphics card a canvas takes 20 ms for the lines of a large network.
import { Scene, Style } from "./scene"

type Colour = [red: number, green: number, blue: number, alpha: number]
const colours = new Map<string, Colour>()

/** colour reads "#rrggbb" or "#rrggbbaa". */
function colour(text: string): Colour {
  let known = colours.get(text)
  if (!known) {
    const part = (i: number) => parseInt(text.slice(i, i + 2) || "ff", 16)
    colours.set(text, (known = [part(1), part(3), part(5), part(7)]))
  }
  return known
}
const pack = (c: Colour) => (c[2] << 16) | (c[1] << 8) | c[0]

/** over blends a colour over a pixel; alpha is of 256. */
function over(pixel: number, packed: number, alpha: number): number {
  const rest = 256 - alpha
  const odd = Math.imul(pixel & 0xff00ff, rest) + Math.imul(packed & 0xff00ff, alpha)
  const even = Math.imul((pixel >>> 8) & 0xff, rest) + Math.imul((packed >>> 8) & 0xff, alpha)
  return 0xff000000 | ((odd >>> 8) & 0xff00ff) | (even & 0xff00)
}

/** fine is how many units of a sum stand for a logarithm of 1, apart from coverage, which is of 256. */
const fine = 256
/** alphaOf is, for a sum, how much of what is behind is covered, of 256. */
const alphaOf = Uint16Array.from({ length: 8 * fine }, (_, sum) => Math.round(256 * (1 - Math.exp(-sum / fine))))

/** Stroke is how a line is drawn that lies over others of its colour in any order alike. */
export interface Stroke { alpha: number; width: number }

/**
 * Pixels is a scene on a canvas, in its pixels. Lines, boxes and dots are drawn at once, over
 * what is behind; texts and empty circles over them, by show.
 */
export class Pixels extends Scene {
  private readonly image: ImageData
  private readonly out: Uint32Array
  private readonly behind: Uint32Array
  private readonly page: number
  private readonly packed: number // the colour of the summed lines, and on the page alone by sum
  private readonly onPage: Uint32Array
  // What lines of one colour let through is multiplied, so its logarithms are summed, and a line
  // is taken out as it was put in.
  private readonly sums: Int32Array
  // The line at hand, from its lower to its upper end along a, which is x if it is more flat than
  // steep, else y; b is the other.
  private steep = false
  private back = false
  private a1 = 0
  private b1 = 0
  private a2 = 0
  private slope = 0
  // Its pixels, and how much of each it covers, of 256.
  private at = new Int32Array(1024)
  private share = new Uint16Array(1024)

  constructor(
    private readonly width: number, private readonly height: number, private readonly ratio: number,
    background: Scene, page: string, summed: string,
  ) {
    super()
    const canvas = new OffscreenCanvas(width, height)
    const c = canvas.getContext("2d", { willReadFrequently: true })!
    const [empty, packed] = [over(0, pack(colour(page)), 256) >>> 0, pack(colour(summed))]
    this.page = empty
    this.packed = packed
    this.onPage = Uint32Array.from(alphaOf, alpha => over(empty, packed, alpha))
    c.fillStyle = page
    c.fillRect(0, 0, width, height)
    c.scale(ratio, ratio)
    background.draw(c)
    this.behind = new Uint32Array(c.getImageData(0, 0, width, height).data.buffer)
    this.image = new ImageData(width, height)
    this.out = new Uint32Array(this.image.data.buffer)
    this.sums = new Int32Array(width * height)
  }

  /** restroke draws a line of the summed ones in another way than before. */
  restroke(was: Stroke, is: Stroke, x1: number, y1: number, x2: number, y2: number): void {
    this.take(x1, y1, x2, y2)
    if (Math.max(was.width, is.width) * this.ratio <= 1) return this.hair(this.weight(is) - this.weight(was))
    this.weigh(was, -1)
    this.weigh(is, 1)
  }

  /** weight is what a pixel's sum grows by; of a line that is thinner than a pixel, in proportion. */
  private weight(s: Stroke): number {
    return Math.round(-Math.log(1 - s.alpha) * fine * Math.min(1, s.width * this.ratio))
  }

  private weigh(s: Stroke, sign: number): void {
    if (s.alpha === 0) return
    const count = this.trace(s.width), { sums, at, share } = this
    const weight = Math.round(-Math.log(1 - s.alpha) * fine) * sign
    for (let i = 0; i < count; i++) sums[at[i]] += share[i] * weight
  }

  /** hair weighs a line of a pixel: in each row or column two pixels share it. */
  private hair(weight: number): void {
    const { a1, b1, a2, slope, sums } = this
    const as = this.steep ? this.height : this.width, bs = this.steep ? this.width : this.height
    const da = this.steep ? this.width : 1, db = this.steep ? 1 : this.width
    const first = Math.max(0, Math.ceil(a1 - 0.5)), last = Math.min(as, Math.ceil(a2 - 0.5))
    const step = Math.round(slope * 65536) // of 65,536 parts of a pixel, as b
    let b = Math.round((b1 - 0.5 + (first + 0.5 - a1) * slope) * 65536)
    for (let a = first; a < last; a++, b += step) {
      const cell = b >> 16, part = (b >> 8) & 255
      if (cell < 0 || cell >= bs - 1) continue
      const i = a * da + cell * db
      sums[i] += weight * (256 - part)
      sums[i + db] += weight * part
    }
  }

  /** begin draws the background, and the summed lines. */
  begin(): void {
    this.clear()
    const { out, sums, behind, page, packed, onPage } = this, most = alphaOf.length - 1
    for (let i = 0; i < out.length; i++) {
      const sum = Math.min(sums[i] >> 8, most), pixel = behind[i]
      out[i] = pixel === page ? onPage[sum] : over(pixel, packed, alphaOf[sum])
    }
  }

  show(c: CanvasRenderingContext2D): void {
    c.putImageData(this.image, 0, 0)
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0)
    this.draw(c)
  }

  override line(style: Style, x1: number, y1: number, x2: number, y2: number): void {
    const c = colour(style.stroke!), packed = pack(c), { out } = this
    this.take(x1, y1, x2, y2)
    const count = this.trace(style.width!, style.dash), { at, share } = this
    for (let i = 0; i < count; i++) out[at[i]] = over(out[at[i]], packed, (share[i] * c[3] + 127) / 255 | 0)
  }

  override box(style: Style, x: number, y: number, half: number): void {
    const edge = (style.width ?? 0) / 2
    if (style.stroke) this.fill(style.stroke, x, y, half + edge)
    this.fill(style.fill!, x, y, half - edge)
  }

  override dot(style: Style, x: number, y: number, radius: number): void {
    if (!style.fill) return super.dot(style, x, y, radius)
    const edge = style.stroke ? style.width! / 2 : 0
    if (style.stroke) this.disc(style.stroke, x * this.ratio, y * this.ratio, (radius + edge) * this.ratio)
    this.disc(style.fill, x * this.ratio, y * this.ratio, (radius - edge) * this.ratio)
  }

  private disc(of: string, x: number, y: number, radius: number): void {
    const packed = pack(colour(of)), { out, width } = this
    const left = Math.max(0, Math.floor(x - radius)), right = Math.min(width, Math.ceil(x + radius))
    const bottom = Math.min(this.height, Math.ceil(y + radius))
    for (let row = Math.max(0, Math.floor(y - radius)); row < bottom; row++) {
      for (let column = left; column < right; column++) {
        const inside = radius + 0.5 - Math.hypot(column + 0.5 - x, row + 0.5 - y), i = row * width + column
        if (inside > 0) out[i] = over(out[i], packed, inside < 1 ? inside * 256 | 0 : 256)
      }
    }
  }

  private fill(of: string, x: number, y: number, half: number): void {
    const packed = pack(colour(of)) | 0xff000000, r = this.ratio
    const left = Math.max(0, Math.round((x - half) * r)), top = Math.max(0, Math.round((y - half) * r))
    const right = Math.min(this.width, Math.round((x + half) * r))
    const bottom = Math.min(this.height, Math.round((y + half) * r))
    for (let row = top; row < bottom; row++) {
      if (right > left) this.out.fill(packed, row * this.width + left, row * this.width + right)
    }
  }

  /** take makes a line that at hand. */
  private take(x1: number, y1: number, x2: number, y2: number): void {
    const r = this.ratio, steep = Math.abs(y2 - y1) > Math.abs(x2 - x1), back = steep ? y1 > y2 : x1 > x2
    const [xl, yl, xh, yh] = back ? [x2, y2, x1, y1] : [x1, y1, x2, y2]
    this.steep = steep
    this.back = back
    this.a1 = (steep ? yl : xl) * r
    this.b1 = (steep ? xl : yl) * r
    this.a2 = (steep ? yh : xh) * r
    this.slope = ((steep ? xh : yh) * r - this.b1) / Math.max(this.a2 - this.a1, 1e-9)
  }

  /** trace finds the pixels of the line at hand, and returns how many there are. */
  private trace(width: number, dash?: string): number {
    const { a1, b1, a2, slope, ratio } = this, begin = this.back ? a2 : a1
    const [on, off] = dash ? dash.split(" ").map(part => Number(part) * ratio) : [1, 0]
    const longer = Math.sqrt(1 + slope * slope), period = on + off
    // A line thinner than a pixel is as wide as one, and lighter.
    const half = (Math.max(1, width * ratio) / 2) * longer, full = Math.min(1, width * ratio) * 256
    const as = this.steep ? this.height : this.width, bs = this.steep ? this.width : this.height
    const first = Math.max(0, Math.ceil(a1 - 0.5)), last = Math.min(as, Math.ceil(a2 - 0.5))
    const room = (last - first) * (2 * Math.ceil(half) + 2)
    if (this.at.length < room) {
      this.at = new Int32Array(2 * room)
      this.share = new Uint16Array(2 * room)
    }
    const { at, share } = this, da = this.steep ? this.width : 1, db = this.steep ? 1 : this.width
    let count = 0, along = Math.abs(first + 0.5 - begin) * longer % period
    let low = b1 - half + (first + 0.5 - a1) * slope
    for (let a = first; a < last; a++, low += slope) {
      if (off > 0) {
        const gap = along >= on
        along += this.back ? -longer : longer
        if (along >= period) along -= period
        if (along < 0) along += period
        if (gap) continue
      }
      const high = low + half + half, end = Math.min(bs, Math.ceil(high))
      for (let b = Math.max(0, Math.floor(low)); b < end; b++) {
        const above = b < low ? low - b : 0, below = b + 1 > high ? b + 1 - high : 0
        at[count] = a * da + b * db
        share[count++] = (1 - above - below) * full
      }
    }
    return count
  }
}
