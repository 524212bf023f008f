package fabric

import (
	"fmt"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

func balanceParameter(b *sim.Balance) []params.Field {
	return params.In("network", params.Bind("lb", &b.Kind, "ecmp",
		"how load is balanced over equally short ways: the hash of a flow chooses (ecmp); every switch "+
			"draws one for every packet (spray); every switch sends every packet where the queue is short "+
			"(drill, SIGCOMM 2017); or as ecmp, over IPv6, by a flow label that senders of marked packets "+
			"draw anew (plb, SIGCOMM 2022)"))
}

func drillParameters(b *sim.Balance) []params.Field {
	return []params.Field{
		params.Bind("drill.d", &b.Samples, "2", "ports that a switch draws for a packet").
			Range("1", "16"),
		params.Bind("drill.m", &b.Memory, "1",
			"ports that a switch remembers: the least loaded ports of those it looked at last").
			Range("", "16"),
	}
}

func plbParameters(c *sim.PLBConfig) []params.Field {
	return []params.Field{
		params.Bind("plb.share", &c.Share, "1/2",
			"share of the acknowledgements of a round-trip time that must be marked for it to count as "+
				"congested (K)").Range("", "1"),
		params.Bind("plb.idle-rounds", &c.IdleRounds, "3",
			"congested round-trip times in a row after which a sender with nothing in flight draws "+
				"another label (M)").Range("1", "1000"),
		params.Bind("plb.rounds", &c.Rounds, "12",
			"congested round-trip times in a row after which any sender draws another label (N)").
			Range("1", "1000"),
		params.Bind("plb.suspend", &c.Suspend, "60s",
			"time, one to two times, for which a sender that had a timeout draws no label for "+
				"congestion").Range("", "1000000s"),
	}
}

func resequenceParameter(c *sim.ResequenceConfig) []params.Field {
	return params.In("network", params.Bind("resequence", &c.Timeout, "0",
		"time for which a receiver holds packets, beneath the transport, while an earlier packet of "+
			"their flow is missing; 0: not at all").Range("", "1s"))
}

func resequencePackets(c *sim.ResequenceConfig) []params.Field {
	return params.In("network", params.Bind("resequence.packets", &c.Packets, "1024",
		"most packets of a flow that a receiver holds so").Range("1", "1000000"))
}

// balance reads the parameters of the way in which load is balanced.
func (p *plan) balance() error {
	b, r := &p.hosts.Balance, &p.hosts.Resequence
	switch b.Kind {
	case sim.DRILL:
		p.fill(drillParameters(b))
	case sim.PLB:
		p.fill(plbParameters(&b.PLB))
	}
	if r.Timeout > 0 {
		p.fill(resequencePackets(r))
	}
	if p.protocol.Name == "portfc" && (b.Kind == sim.Spray || b.Kind == sim.DRILL) {
		return fmt.Errorf("lb %v: portfc must know the next hops of every packet", b.Kind)
	}
	return nil
}

// noteBalance says what the balancing of load did.
func (p *plan) noteBalance(r *sim.Result) {
	if p.hosts.Balance.Kind == sim.PLB {
		r.Figure("flow labels drawn anew", r.Relabelled)
		if p.detect == detectNone {
			r.Note("plb never acts: no packet is marked (detect=none)")
		}
	}
	if p.hosts.Resequence.Timeout > 0 {
		r.Figure("packets that waited for others at their receiver", r.Resequenced)
		r.Figure("packets of a flow that waited so at once", int64(r.MaxResequence))
		r.Figure("times a receiver gave up waiting", r.GivenUp)
	}
}

// byLabel has switches hash the flow label, too, and gives the hosts addresses of IPv6.
func byLabel(c *hashpath.Config) func(host sluice.SwitchID) netip.Addr {
	c.Hash.Fields = []hashpath.Field{
		hashpath.FieldSrcAddress, hashpath.FieldDstAddress, hashpath.FieldSrcPort,
		hashpath.FieldDstPort, hashpath.FieldProtocol, hashpath.FieldFlowLabel,
	}
	return workload.Address6
}
