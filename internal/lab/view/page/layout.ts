// Where nodes are drawn: by layers, or on a circle.
import { Network } from "./data"

export interface Place { x: number; y: number }

/**
 * layout returns the places of nodes, in units of the distance between two hosts, for a map whose
 * height is aspect times its width.
 */
export function layout(n: Network, aspect: number): Place[] {
  if (n.about.HostsForward) return nodeCentric(n)
  const sideways = n.ports.some(p => n.about.Tier[p.node] === 1 && n.about.Tier[p.peer] === 1)
  return sideways && Math.max(...n.about.Tier) === 1 ? ring(n) : layers(n, aspect)
}

const nodesOf = (n: Network, tier: number) =>
  n.about.Tier.map((t, id) => ({ t, id })).filter(o => o.t === tier).map(o => o.id)
const portsOf = (n: Network, node: number) =>
  n.ports.slice(n.first[node], n.first[node] + n.about.Ports[node].length)
const hostsOf = (n: Network, node: number) =>
  portsOf(n, node).map(p => p.peer).filter(peer => n.isHost(peer))

/** layers puts hosts in a block below their switch, and the tiers above each other. */
function layers(n: Network, aspect: number): Place[] {
  const places: Place[] = n.about.Tier.map(() => ({ x: 0, y: 0 }))
  const tors = nodesOf(n, 1)
  const most = Math.max(1, ...tors.map(t => hostsOf(n, t).length))
  const columns = tors.length * most > 96 ? Math.ceil(Math.sqrt(most)) : most
  let x = 0
  for (const tor of tors) {
    const hosts = hostsOf(n, tor), width = Math.max(1, Math.min(columns, hosts.length))
    hosts.forEach((host, i) => {
      places[host] = { x: x + (i % columns), y: Math.floor(i / columns) }
    })
    places[tor] = { x: x + (width - 1) / 2, y: 0 }
    x += width + 1
  }
  const width = Math.max(x - 1, 4), top = Math.max(...n.about.Tier)
  const gap = Math.max(3, (width * Math.min(aspect, 2) * 0.85) / (top + 0.5))
  for (const tor of tors) places[tor].y = -gap
  for (let tier = 2; tier <= top; tier++) {
    const nodes = nodesOf(n, tier).map(id => {
      const below = portsOf(n, id).filter(p => n.about.Tier[p.peer] < tier)
      const mean = below.reduce((sum, p) => sum + places[p.peer].x, 0) / Math.max(below.length, 1)
      return { id, mean }
    }).sort((a, b) => a.mean - b.mean || a.id - b.id)
    nodes.forEach(({ id }, i) => {
      places[id] = { x: (width * (i + 0.5)) / nodes.length - 0.5, y: -gap * tier }
    })
  }
  return places
}

const around = (radius: number, turn: number): Place =>
  ({ x: radius * Math.sin(turn * 2 * Math.PI), y: -radius * Math.cos(turn * 2 * Math.PI) })

/** ring puts switches on a circle, in the order of a walk along their links, and hosts outside. */
function ring(n: Network): Place[] {
  const places: Place[] = n.about.Tier.map(() => ({ x: 0, y: 0 }))
  const walk: number[] = [], seen = new Set<number>()
  const visit = (node: number): void => {
    seen.add(node)
    walk.push(node)
    for (const p of portsOf(n, node)) if (!n.isHost(p.peer) && !seen.has(p.peer)) visit(p.peer)
  }
  for (const node of nodesOf(n, 1)) if (!seen.has(node)) visit(node)
  const radius = Math.max(3, walk.length)
  walk.forEach((node, i) => {
    const turn = i / walk.length, hosts = hostsOf(n, node)
    places[node] = around(radius, turn)
    hosts.forEach((host, k) => {
      const off = ((k + 0.5) / hosts.length - 0.5) * 0.8 / walk.length
      places[host] = around(radius * 1.5, turn + off)
    })
  })
  return places
}

/** nodeCentric puts hosts on a circle, the switches of layer 0 outside, of the others inside. */
function nodeCentric(n: Network): Place[] {
  const hosts = nodesOf(n, 0), places: Place[] = n.about.Tier.map(() => ({ x: 0, y: 0 }))
  const radius = Math.max(4, hosts.length / 4), turn = new Map<number, number>()
  hosts.forEach((host, i) => {
    turn.set(host, i / hosts.length)
    places[host] = around(radius, i / hosts.length)
  })
  const layer = new Map<number, number>()
  for (const host of hosts) {
    for (const p of portsOf(n, host)) if (!n.isHost(p.peer)) layer.set(p.peer, p.number)
  }
  const top = Math.max(0, ...layer.values())
  for (let l = 0; l <= top; l++) {
    const nodes = [...layer].filter(([, at]) => at === l).map(([id]) => id).sort((a, b) => a - b)
    nodes.forEach((id, i) => {
      const turns = hostsOf(n, id).map(host => turn.get(host)!)
      const mean = turns.reduce((a, b) => a + b, 0) / Math.max(turns.length, 1)
      places[id] = l === 0 ? around(radius * 1.3, mean)
        : around((radius * 0.6 * (top + 1 - l)) / top, (i + 0.5) / nodes.length + 0.06 * l)
    })
  }
  return places
}
