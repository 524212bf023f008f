// What there is to say of a rank at an instant, as sentences.
import { Begun, Cause, Ranks, Span, idle } from "./ranks"
import { us } from "./facts"

/** Links write what can be gone to, as text or as buttons. */
export interface Links {
  port(node: number, port: number): string
  flow(flow: number): string
  time(time: number): string
}

export const plain: Links = {
  port: (node, port) => `${node}:${port}`, flow: flow => `flow:${flow}`, time: us,
}

const most = 4 // of a kind

/** rankWords says what a rank does; states are the names of its states. */
export function rankWords(
  ranks: Ranks, row: number, time: number, states: string[], link: Links,
): string[] {
  const { span, computes, sends, awaits } = ranks.now(row, time)
  const rank = (row: number) => `rank ${ranks.rows[row].rank}`
  const some = (list: Begun[], write: (b: Begun) => string): string[] =>
    [...list.slice(0, most).map(write), ...(list.length > most ? [`and ${list.length - most} more`] : [])]
  return [
    stateWords(span, states, link),
    ...some(computes, b => `operation ${b.number} computes until ${link.time(b.to)}`),
    ...some(sends, b => `operation ${b.number} sends ${link.flow(b.flow)} to ${rank(b.peer)}`),
    ...(awaits ? [`${link.flow(awaits.flow)} arrives next, from ${rank(awaits.row)}, whose operation ` +
      `${awaits.number} sends it`] : []),
  ]
}

function stateWords(s: Span, states: string[], link: Links): string {
  const what = s.state === idle ? "idle" : states[s.state] + (s.cause ? causeWords(s.cause, link) : "")
  return `${what} from ${link.time(s.from)}` + (s.to < Infinity ? ` to ${link.time(s.to)}` : " on")
}

/** causeWords names causes as the reports do. */
const causeWords = (c: Cause, link: Links) => ` for ${c.root ? "root" : "port"} ${link.port(c.node, c.port)}`
