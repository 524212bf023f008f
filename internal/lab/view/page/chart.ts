// Time series beside the map: one line for each run, with dashes of its own.
import uPlot from "uplot"
import { Run } from "./data"
import { Theme } from "./picture"

/** dashes are the runs', by their number. Colours are the roots', and mean nothing else. */
const dashes = [[], [7, 3], [2, 2], [9, 3, 2, 3], [16, 4], [1, 5]]
const drawn = ["whole", "dashed", "dotted", "dash and dot", "long dashes", "far dots"]

/** Series is a number over time of one run. */
export interface Series { run: Run; values: ArrayLike<number> }

/** chart draws series over microseconds; marker is the instant of the clock in picoseconds. */
export function chart(
  into: HTMLElement, title: string, series: Series[], theme: Theme, marker: () => number,
  go: (time: number) => void,
): uPlot {
  const all = [...new Set(series.flatMap(s => [...s.run.times]))].sort((a, b) => a - b)
  const data: (number | null)[][] = [all.map(t => t / 1e6)]
  for (const { run, values } of series) {
    const at = new Map([...run.times].map((t, i) => [t, values[i]]))
    data.push(all.map(t => at.get(t) ?? null))
  }
  const axis = { stroke: theme.text, grid: { stroke: theme.faint, width: 0.5 }, font: "11px system-ui" }
  const plot = new uPlot({
    width: Math.max(240, into.clientWidth || 340), height: 135, title,
    legend: { show: series.length > 1, live: false },
    scales: { x: { time: false } },
    axes: [{ ...axis, size: 26 }, { ...axis, size: 52, values: (_, ticks) => ticks.map(short) }],
    series: [{ label: "us" }, ...series.map(({ run }) => ({
      label: `${run.info.Label} (${drawn[run.number % drawn.length]})`, stroke: theme.text, width: 1.3, dash: dashes[run.number % dashes.length],
      points: { show: false }, spanGaps: true, paths: uPlot.paths.stepped!({ align: -1 }),
    }))],
    hooks: {
      draw: [u => {
        const x = u.valToPos(marker() / 1e6, "x", true)
        u.ctx.strokeStyle = theme.alarm
        u.ctx.lineWidth = 1.5
        u.ctx.beginPath()
        u.ctx.moveTo(x, u.bbox.top)
        u.ctx.lineTo(x, u.bbox.top + u.bbox.height)
        u.ctx.stroke()
      }],
    },
    cursor: { drag: { x: false, y: false } },
  }, data as uPlot.AlignedData, into)
  plot.over.addEventListener("click", () => {
    if (plot.cursor.idx != null) go(all[plot.cursor.idx])
  })
  plot.root.setAttribute("role", "img")
  plot.root.setAttribute("aria-label", `${title} over time in microseconds`)
  return plot
}

/** short writes a number in few letters: 1.2M. */
export function short(x: number): string {
  const size = Math.abs(x)
  if (size >= 1e6) return `${Number((x / 1e6).toPrecision(3))}M`
  if (size >= 1e4) return `${Number((x / 1e3).toPrecision(3))}k`
  return String(Number(x.toPrecision(4)))
}
