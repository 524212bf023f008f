package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
)

func drawBFCOptions(r *random) bfc.Config {
	c := bfc.Config{
		Queues:           r.between(1, 16),
		VFIDs:            pick(r, 0, 1, 7, 64),
		Ideal:            r.one(4),
		Overflow:         bfc.Overflow(r.below(2)),
		Sticky:           pick(r, 0, 0, bfc.NoSticky, 3*sluice.Microsecond),
		Factor:           pick(r, ratio(1, 1), ratio(1, 1), ratio(1, 8), ratio(3, 2)),
		CountLonePackets: r.one(2),
		FirstPacketQueue: r.one(3),
		Signalling:       bfc.Signalling(r.below(4)),
		Period:           pick(r, 0, 0, 3*sluice.Microsecond, 20*sluice.Microsecond),
		IdleBitmaps:      pick(r, 0, 0, 1, 3, -1),
		QueuesPerFrame:   pick(r, 0, 0, 1, 2),
		Scheduler:        bfc.Scheduler(r.below(3)),
		Quantum:          pick[sluice.Bytes](r, 0, 0, 100, 9000),
		Seed:             r.next(),
	}
	if c.IdleBitmaps < 0 {
		c.Period = 20 * sluice.Microsecond
	}
	if c.Signalling != bfc.Transitions {
		c.Expiry = pick(r, 0, 0, bfc.NoExpiry, 100*sluice.Microsecond)
	}
	if !c.Ideal {
		c.Assignment = bfc.Assignment(r.below(4))
		c.AssignPaused = c.Assignment == bfc.LastFreed || r.one(3)
		c.AssignForgotten = !c.AssignPaused && r.one(3)
	}
	if !c.Ideal && r.one(4) {
		c.Index, c.VFIDs, c.Queues = bfc.LowBits, pick(r, 0, 16, 64), 1<<r.below(5)
	}
	if r.one(4) {
		c.Classes = pick[sluice.ClassSet](r, 0x0f, 0x7f)
	}
	if r.one(4) {
		c.ResumeLimit = r.between(1, 3)
		c.ResumePeriod = pick(r, 0, 5*sluice.Microsecond)
	}
	if r.one(4) {
		c.Buffer = sluice.Bytes(r.between(10, 100)) * mtu
	}
	return c
}

func drawBFC(r *random, g *graph) *setup {
	options := drawBFCOptions(r)
	hostQueues := pick(r, 1, 4, 32, 100)
	if r.one(50) {
		hostQueues = bfc.HostQueues
	}
	withhold := r.one(6)
	roundTrip := pick(r, 0, 0, 2*sluice.Microsecond)
	node := func(id int) (kit.Machine, error) {
		v := g.nodes[id]
		c := options
		c.Seed += uint64(id)
		if v.tier == 0 {
			c.Queues, c.Ideal, c.VFIDs, c.Index = hostQueues, true, 0, bfc.SpreadHash
			c.AssignForgotten, c.AssignPaused, c.Assignment = false, false, bfc.RandomScan
		} else if withhold {
			c.Withhold = []bfc.Pair{{Ingress: 0, Egress: sluice.PortID(len(v.ports) - 1)}}
		}
		for _, e := range v.ports {
			p := bfc.PortConfig{Link: e.link, UpstreamQueues: options.Queues, HRTT: roundTrip}
			if g.nodes[e.peer].tier == 0 {
				p.UpstreamQueues = hostQueues
			}
			c.Ports = append(c.Ports, p)
		}
		return kit.WrapNew(bfc.New(c))
	}
	return &setup{
		text: show("bfc", options) + show(" host queues", hostQueues),
		node: node,
		forge: func(r *random, id int, _ sluice.PortID) []byte {
			queues := options.Queues
			if g.nodes[id].tier == 0 {
				queues = hostQueues
			}
			return forgeBFC(r, queues)
		},
		renumber: renumber(func(r *random, f *bfc.Frame) {
			f.Sequence = forgedSequence(r, f.Sequence)
		}),
		mayDrop: whenFull(options.Buffer),
		classes: someClasses(r, sluice.AllClasses),
		repairs: options.Signalling != bfc.Transitions && options.Expiry != bfc.NoExpiry,
	}
}

func forgeBFC(r *random, queues int) []byte {
	f := bfc.Frame{Type: bfc.Type(r.between(1, 3)), Sequence: forgedSequence(r, uint32(r.below(200)))}
	if f.Type == bfc.Bitmap {
		f.Count = uint16(pick(r, queues, r.between(1, 200)))
		for q := range int(f.Count) {
			f.Bits[q/64] |= r.next() & 1 << (q % 64)
		}
	} else {
		f.Count = uint16(r.between(1, bfc.MaxListed))
		for i := range f.Listed() {
			f.Queues[i] = sluice.QueueID(r.below(queues + 1))
		}
	}
	return f.AppendTo(nil)
}
