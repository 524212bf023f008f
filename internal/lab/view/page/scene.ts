// A list of shapes by style, drawn on a canvas or written as SVG: one way to draw for both.

export interface Style {
  stroke?: string; fill?: string; width?: number; dash?: string; font?: number
}

type Shape = { style: Style; lines: number[]; dots: number[]; boxes: number[]; texts: Label[] }
interface Label { x: number; y: number; text: string; anchor: "start" | "middle" }

/** Scene collects shapes. Shapes of one style are drawn at once, styles in the order of first use. */
export class Scene {
  private readonly shapes = new Map<string, Shape>()

  private of(style: Style): Shape {
    const key = `${style.stroke}|${style.fill}|${style.width}|${style.dash}|${style.font}`
    let shape = this.shapes.get(key)
    if (!shape) this.shapes.set(key, (shape = { style, lines: [], dots: [], boxes: [], texts: [] }))
    return shape
  }

  line(style: Style, x1: number, y1: number, x2: number, y2: number): void {
    this.of(style).lines.push(x1, y1, x2, y2)
  }
  dot(style: Style, x: number, y: number, radius: number): void {
    this.of(style).dots.push(x, y, radius)
  }
  box(style: Style, x: number, y: number, half: number): void {
    this.of(style).boxes.push(x, y, half)
  }
  text(style: Style, x: number, y: number, text: string, anchor: "start" | "middle" = "middle"): void {
    this.of(style).texts.push({ x, y, text, anchor })
  }

  /** clear takes all shapes out. */
  clear(): void { this.shapes.clear() }

  /** draw draws on a canvas. */
  draw(c: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D): void {
    for (const s of this.shapes.values()) {
      c.beginPath()
      for (let i = 0, l = s.lines; i < l.length; i += 4) {
        c.moveTo(l[i], l[i + 1])
        c.lineTo(l[i + 2], l[i + 3])
      }
      for (let i = 0, d = s.dots; i < d.length; i += 3) {
        c.moveTo(d[i] + d[i + 2], d[i + 1])
        c.arc(d[i], d[i + 1], d[i + 2], 0, 7)
      }
      for (let i = 0, b = s.boxes; i < b.length; i += 3) {
        c.rect(b[i] - b[i + 2], b[i + 1] - b[i + 2], 2 * b[i + 2], 2 * b[i + 2])
      }
      c.setLineDash(s.style.dash ? s.style.dash.split(" ").map(Number) : [])
      if (s.style.fill) {
        c.fillStyle = s.style.fill
        c.fill()
      }
      if (s.style.stroke) {
        c.strokeStyle = s.style.stroke
        c.lineWidth = s.style.width ?? 1
        c.stroke()
      }
      if (s.texts.length === 0) continue
      c.font = `${s.style.font ?? 11}px system-ui, sans-serif`
      c.textBaseline = "middle"
      for (const t of s.texts) {
        c.textAlign = t.anchor === "middle" ? "center" : "left"
        if (s.style.stroke) c.strokeText(t.text, t.x, t.y) // a halo
        c.fillText(t.text, t.x, t.y)
      }
    }
  }

  /** svg returns the shapes as elements of SVG. */
  svg(): string {
    const r = (x: number) => Math.round(x * 100) / 100
    let out = ""
    for (const s of this.shapes.values()) {
      const { stroke, fill, width, dash, font } = s.style
      out += `<g stroke="${stroke ?? "none"}" fill="${fill ?? "none"}" stroke-width="${width ?? 1}"` +
        (dash ? ` stroke-dasharray="${dash}"` : "") + ">"
      let path = ""
      for (let i = 0, l = s.lines; i < l.length; i += 4) {
        path += `M${r(l[i])} ${r(l[i + 1])}L${r(l[i + 2])} ${r(l[i + 3])}`
      }
      if (path) out += `<path d="${path}"/>`
      for (let i = 0, d = s.dots; i < d.length; i += 3) {
        out += `<circle cx="${r(d[i])}" cy="${r(d[i + 1])}" r="${r(d[i + 2])}"/>`
      }
      for (let i = 0, b = s.boxes; i < b.length; i += 3) {
        const side = r(2 * b[i + 2])
        out += `<rect x="${r(b[i] - b[i + 2])}" y="${r(b[i + 1] - b[i + 2])}" width="${side}" height="${side}"/>`
      }
      for (const t of s.texts) {
        out += `<text x="${r(t.x)}" y="${r(t.y)}" font-size="${font ?? 11}" stroke="${stroke ?? "none"}" ` +
          `paint-order="stroke" font-family="system-ui, sans-serif" dominant-baseline="middle" ` +
          `text-anchor="${t.anchor}">${escape(t.text)}</text>`
      }
      out += "</g>\n"
    }
    return out
  }
}

export const escape = (text: string) =>
  text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!)
