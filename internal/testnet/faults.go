package testnet

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Faults are what goes wrong by chance.
type Faults struct {
	// Lost, Doubled and Late are percentages of control frames: those that are lost, that come twice,
	// and that come up to 5 us late, so that others pass them.
	Lost, Doubled, Late uint64
	// Lose says which frames are lost besides, by what their kind does: "pause".
	Lose func(from *Node, kind string) bool
	// LostPackets is the percentage of packets that are lost.
	LostPackets uint64
	// Early lets what is sent come up to a quarter of its link's delay early, in order.
	Early bool
	// Overdue is by how much timers are served late.
	Overdue sluice.Time
}

// Counts are the packets that were lost by chance, and the control frames that were lost, doubled
// and held back.
type Counts struct{ Strayed, Vanished, Twice, Delayed int }

// Failure is how a link fails.
type Failure struct {
	// Packets and Frames say which are lost that are on the link. What is not lost comes in late.
	Packets, Frames bool

	Flush uint64      // the chance that an end flushes its queues, in percent
	Lasts sluice.Time // until the link is there again
	Later sluice.Time // how much later the far end learns that
}

// Fail takes the link of a port down, for a while. A link that fails meanwhile is down until both
// are over. A sink's end has nothing to do.
func (v *Node) Fail(port sluice.PortID, f Failure) {
	n, l := v.network, v.Links[port]
	v.down(port, f)
	n.At(n.Now+f.Lasts, func() { v.up(port) })
	if l.Peer.Driver != nil {
		l.Peer.down(l.Port, f)
		n.At(n.Now+f.Lasts+f.Later, func() { l.Peer.up(l.Port) })
	}
}

func (v *Node) down(port sluice.PortID, f Failure) {
	n, l := v.network, v.Links[port]
	n.Progress()
	l.busy = false
	l.life++
	for i, lost := range [2]bool{f.Packets, f.Frames} {
		if lost {
			l.cuts[i]++
		}
	}
	if l.downs++; l.downs > 1 {
		return
	}
	v.Driver.LinkDown(n.Now, port)
	if n.chance(f.Flush) {
		v.Driver.Flush(n.Now, port)
	}
	v.Acted()
}

func (v *Node) up(port sluice.PortID) {
	n, l := v.network, v.Links[port]
	n.Progress()
	if l.downs--; l.downs > 0 {
		return
	}
	v.Driver.LinkUp(n.Now, port)
	if !l.busy {
		v.Driver.Ready(n.Now, port)
	}
	v.Acted()
}

// Restart is Renew for neighbours that see it: the node's links fail and are there again, so that
// both ends get LinkDown and LinkUp.
func (v *Node) Restart() {
	v.Renew()
	for port := range v.Links {
		v.Fail(sluice.PortID(port), Failure{Packets: true})
	}
}

// Renew replaces the machine of a node by a new one. Its packets are lost.
func (v *Node) Renew() {
	n := v.network
	for h := range kit.Handle(n.Store.Capacity()) {
		if n.Store.At(h+1).Value.at == v {
			v.Discard(h + 1)
		}
	}
	v.Driver = v.embed(v)
	for port, l := range v.Links {
		if l.downs > 0 {
			v.Driver.LinkDown(n.Now, sluice.PortID(port))
		}
	}
}
