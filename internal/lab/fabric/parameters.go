package fabric

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/fabric/floodgate"
	"github.com/sluicefc/sluice/internal/lab/fabric/voq"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/pfc/sonic"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// Definitions returns the parameters of the network and of every protocol. The defaults are the
// reference run's: internal/lab/papers/general/testdata/pyrrha-ns3.
func Definitions() []params.Definition { return slices.Clone(definitions()) }

var definitions = sync.OnceValue(func() []params.Definition {
	var (
		detector detectorSettings
		p        pfcSettings
		c        cbfcSettings
		ate      ateSettings
	)
	fields := slices.Concat(
		new(network).parameters(), drillParameters(new(sim.Balance)),
		plbParameters(new(sim.PLBConfig)), resequencePackets(new(sim.ResequenceConfig)),
		bufferParameter(new(sluice.Bytes)), hostBufferParameter(new(sluice.Bytes)),
		markingParameters(new(sluice.Marking)), hashParameters(new(hashpath.Hash)),
		bucketsParameter(new(hashpath.Hash)),
		detector.formula(), detector.tcd(), detector.fecn(), detector.npecn(),
		p.lossy(), p.dynamic(), p.lossless(), p.static(), p.products(), p.variant(),
		c.parameters(), c.creditPeriod(), new(bfcForm).parameters(), new(ofcSettings).parameters(),
		pyrrhaParameters(new(pyrrha.Config)), levelsParameter(new(pyrrha.Config)),
		drainParameter(new(sluice.Ratio)), legacyParameters(new(string), new(int)),
		portfcParameters(new(portfc.Config)), starParameter(new(string)),
		ate.asked(), ate.constants(), sonicParameters(new(sonic.Chip)),
		voqParameters(new(voq.Config)), floodgateParameters(new(floodgate.Config)),
	)
	return slices.Concat(params.Definitions(fields), transport.Definitions(), cc.Definitions())
})

// alone returns a check of a configuration without ports: it builds a switch of it with one port,
// which it takes away again.
func alone[C, P, S any](config *C, build func(C) (S, error), ports *[]P, port P) func() error {
	return func() error {
		*ports = []P{port}
		_, err := build(*config)
		*ports = nil
		return err
	}
}

var anyLink = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

// network is what hosts and links do, by the parameters of section network.
type network struct {
	sim                   sim.Config // a part of it
	rto                   *sluice.Time
	ackClass, noticeClass *sluice.Class
	windowVariable        *bool
	control               string // cc
	detect                string

	// Probabilities.
	loss, answerLoss, answerDuplicate, answerReorder sluice.Ratio
	controlLoss, controlDuplicate, controlReorder    sluice.Ratio
}

func (n *network) parameters() []params.Field {
	chance := func(name string, into *sluice.Ratio, doc string) params.Field {
		return params.Bind(name, into, "0", "probability that "+doc).Range("", "1")
	}
	ways := slices.Concat(balanceParameter(&n.sim.Balance), resequenceParameter(&n.sim.Resequence))
	return slices.Concat(ways, params.In("network",
		params.Bind("payload", &n.sim.Payload, "1460B", "largest payload of a packet").
			Range("1B", "64KiB"),
		params.Bind("header", &n.sim.Header, "66B",
			"bytes added to each payload, on the wire and in buffers").Range("", "1KiB"),
		params.Bind("ack.size", &n.sim.AckSize, "60B",
			"size of an acknowledgement; there is one per packet").Range("1B", "1KiB"),
		params.Bind("ack.class", &n.ackClass, "",
			"class of acknowledgements, which neither bfc nor pyrrha controls if it is set; unset: the "+
				"class of the data, but a class of their own under bfc").Range("0", "7"),
		params.Bind("notice.class", &n.noticeClass, "",
			"class of congestion notices, CNPs and CNMs, which neither bfc nor pyrrha controls if no "+
				"data has it; unset: ack.class, or the highest class that no data has").Range("0", "7"),
		params.Bind("window", &n.sim.Window, "",
			"payload a flow may have unacknowledged; unset: one bandwidth-delay product of the "+
				"longest path").Range("1B", ""),
		params.Bind("flow.key", &n.sim.PairKeys, "five-tuple",
			"what tells flows apart for a protocol that does: the five-tuple, or source and "+
				"destination alone").Of("five-tuple", "pair"),
		params.Bind("window.variable", &n.windowVariable, "",
			"a window, of one bandwidth-delay product at most, shrinks with the rate that cc sets; "+
				"unset: under hpcc and dctcp, which are about windows"),
		params.Bind("transport", &n.sim.Transport.Kind, "gbn",
			"how hosts repair losses: Go-back-N, not at all, or selectively"),
		params.Bind("cc", &n.control, "none", "congestion control of senders, within the window").
			Of(cc.Names...),
		params.Bind("cc.pace", &n.sim.PaceOnWire, "card",
			"where a rate's gap to the next packet begins, and a round-trip time: when a packet "+
				"enters the network card, or with its first bit on the wire; they differ where flows "+
				"share a card").Of("card", "wire"),
		params.Bind("cc.round", &n.sim.Control.RoundsLater, "first",
			"packet whose acknowledgement ends a round trip of timely, hpcc and dctcp: the first "+
				"packet sent since the last round trip ended, or the second, as in Pyrrha's ns-3, whose "+
				"acknowledgements name the first byte of a packet").Of("first", "second"),
		params.Bind("cc.queue", &n.sim.ControlByQueue, "port",
			"what switches tell hpcc and qcn of: all that waits for a port, as in HPCC's ns-3, "+
				"or the queue that the packet leaves").Of("port", "packet"),
		params.Bind("rto", &n.rto, "",
			"time without progress after which a sender goes back to the first unacknowledged "+
				"packet, 0 for never; unset: 1ms, on a lossless fabric whose links do not fail from the "+
				"first loss on"),
		params.Bind("detect", &n.detect, "",
			"what marks data packets at switches: by queue length (ecn), TCD, InfiniBand's FECN, or "+
				"PCN's NP-ECN; unset: the detector that cc is made for if it learns from marks, ecn if "+
				"ecn.kmin is set, else none").Of(detectors...),
		chance("answer.loss", &n.answerLoss,
			"a host loses an acknowledgement or a congestion notice"),
		chance("answer.duplicate", &n.answerDuplicate,
			"a host takes an acknowledgement or a congestion notice twice"),
		chance("answer.reorder", &n.answerReorder,
			"a host takes an acknowledgement or a congestion notice 10us late, after later ones"),
		chance("loss", &n.loss, "a packet, but no control frame, is lost on a link"),
		chance("control.loss", &n.controlLoss, "a control frame is lost on a link"),
		chance("control.duplicate", &n.controlDuplicate, "a control frame arrives twice"),
		chance("control.reorder", &n.controlReorder,
			"a control frame arrives behind the next one of its link"),
	))
}

// takeEffect completes what hosts and links do, and what the plan takes from there.
func (n *network) takeEffect(p *plan) {
	c := &n.sim
	c.Loss = partsPerMillion(n.loss)
	c.ControlLoss = partsPerMillion(n.controlLoss)
	c.ControlDuplicate = partsPerMillion(n.controlDuplicate)
	c.ControlReorder = partsPerMillion(n.controlReorder)
	c.Answers = sim.Faults{
		Loss: partsPerMillion(n.answerLoss), Duplicate: partsPerMillion(n.answerDuplicate),
		Reorder: partsPerMillion(n.answerReorder),
	}
	if n.rto != nil {
		c.RetransmitAfter = *n.rto
	} else {
		c.RetransmitAfter = sluice.Millisecond
		c.RetransmitFromLoss = p.protocol.Lossless && len(c.Failures) == 0 && c.Answers.Loss == 0 &&
			c.Loss == 0
	}
	p.control = cc.Find(n.control)
	p.detect, p.variable = n.detector(p.control, p.values), n.windowVariable
	classes := n.classes(sim.Traffic(c.Flows, c.Jobs), p.protocol, p.control)
	c.AckClass, c.NoticeClass = classes.acks, classes.notices
	p.classes, p.apart = classes.all(), classes.apart()
}

// partsPerMillion returns a probability, rounded; at least one in a million if it is not 0.
func partsPerMillion(p sluice.Ratio) uint64 {
	if p.Num == 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(p.Num), 1_000_000)
	low, carry := bits.Add64(low, uint64(p.Den)/2, 0)
	parts, _ := bits.Div64(high+carry, low, uint64(p.Den))
	return max(parts, 1)
}

func bufferParameter(into *sluice.Bytes) []params.Field {
	return params.In("network", params.Bind("buffer", into, "20MiB", "packet buffer of a switch").
		Range("64KiB", "").As("Buffer"))
}

func hostBufferParameter(into *sluice.Bytes) []params.Field {
	return params.In("network", params.Bind("host.buffer", into, "64MiB",
		"packet buffer of a host that forwards").Range("64KiB", "").As("Buffer"))
}

func markingParameters(m *sluice.Marking) []params.Field {
	return params.In("network",
		params.Bind("ecn.kmin", &m.KMin, "",
			"queue above which data packets are marked at dequeue with a probability, per 100Gb/s of "+
				"port rate; unset: 400KB, where detect marks by it"),
		params.Bind("ecn.kmax", &m.KMax, "1600KB",
			"queue above which every packet is marked, per 100Gb/s of port rate"),
		params.Bind("ecn.pmax", &m.PMax, "1/5", "probability of marking just below ecn.kmax").
			Range("", "1"),
	)
}
