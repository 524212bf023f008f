package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/transport"
)

// Definitions returns the parameters of the network and of every protocol. The defaults are those
// of the reference run: internal/lab/papers/general/testdata/pyrrha-ns3.
func Definitions() []params.Definition {
	var all []params.Definition
	all = append(all, networkParameters...)
	all = append(all, hashParameters...)
	all = append(all, detectParameters...)
	all = append(all, noneParameters...)
	all = append(all, pfcParameters...)
	all = append(all, cbfcParameters...)
	all = append(all, bfcParameters...)
	all = append(all, ofcParameters...)
	all = append(all, pyrrhaParameters...)
	all = append(all, portfcParameters...)
	all = append(all, pfcstarParameters...)
	all = append(all, ateParameters...)
	all = append(all, transport.Definitions()...)
	all = append(all, cc.Definitions()...)
	return all
}

var networkParameters = []params.Definition{
	{Name: "payload", Kind: params.Bytes, Default: "1460B", Min: "1B", Max: "64KiB",
		Section: "network",
		Doc:     "largest payload of a packet"},
	{Name: "header", Kind: params.Bytes, Default: "66B", Max: "1KiB", Section: "network",
		Doc: "bytes added to each payload, on the wire and in buffers"},
	{Name: "ack.size", Kind: params.Bytes, Default: "60B", Min: "1B", Max: "1KiB", Section: "network",
		Doc: "size of an acknowledgement; there is one per packet"},
	{Name: "ack.class", Kind: params.Int, Default: "", Min: "0", Max: "7", Section: "network",
		Doc: "class of acknowledgements, which is under no bfc and no pyrrha then; unset: that of the " +
			"data, but one of their own under bfc"},
	{Name: "notice.class", Kind: params.Int, Default: "", Min: "0", Max: "7", Section: "network",
		Doc: "class of congestion notices, CNPs and CNMs, which is under no bfc and no pyrrha if no " +
			"data has it; unset: ack.class, or the highest that no data has"},
	{Name: "window", Kind: params.Bytes, Default: "", Min: "1B", Section: "network",
		Doc: "payload a flow may have unacknowledged; unset: one bandwidth-delay product of the " +
			"longest path"},
	{Name: "flow.key", Kind: params.Choice, Default: "five-tuple",
		Choices: []string{"five-tuple", "pair"}, Section: "network",
		Doc: "what tells flows apart for a protocol that does: the five-tuple, or source and " +
			"destination alone"},
	{Name: "window.variable", Kind: params.Bool, Default: "", Section: "network",
		Doc: "a window, of one bandwidth-delay product at most, shrinks with the rate that cc sets; " +
			"unset: under hpcc and dctcp, which are about windows"},
	{Name: "transport", Kind: params.Choice, Default: "gbn", Choices: transport.Names[:],
		Section: "network",
		Doc:     "how hosts repair losses: Go-back-N, not at all, or selectively"},
	{Name: "cc", Kind: params.Choice, Default: "none", Choices: cc.Names[:], Section: "network",
		Doc: "congestion control of senders, within the window"},
	{Name: "cc.pace", Kind: params.Choice, Default: "card", Choices: []string{"card", "wire"},
		Section: "network",
		Doc: "where a rate's gap to the next packet begins, and a round-trip time: when a packet " +
			"enters the network card, or with its first bit on the wire; they differ where flows " +
			"share a card"},
	{Name: "cc.queue", Kind: params.Choice, Default: "port", Choices: []string{"port", "packet"},
		Section: "network",
		Doc: "what switches tell hpcc and qcn of: all that waits for a port, as in HPCC's ns-3, " +
			"or the queue that the packet leaves"},
	{Name: "rto", Kind: params.Time, Default: "", Section: "network",
		Doc: "time without progress after which a sender goes back to the first unacknowledged " +
			"packet, 0 for never; unset: 1ms, on a lossless fabric whose links do not fail from the " +
			"first loss on"},
	{Name: "buffer", Kind: params.Bytes, Default: "20MiB", Min: "64KiB", Section: "network",
		Doc: "packet buffer of a switch"},
	{Name: "host.buffer", Kind: params.Bytes, Default: "64MiB", Min: "64KiB", Section: "network",
		Doc: "packet buffer of a host that forwards"},
	{Name: "ecn.kmin", Kind: params.Bytes, Default: "", Section: "network",
		Doc: "queue above which data packets are marked at dequeue with a probability, per 100Gb/s of " +
			"port rate; unset: 400KB, where detect marks by it"},
	{Name: "ecn.kmax", Kind: params.Bytes, Default: "1600KB", Section: "network",
		Doc: "queue above which every packet is marked, per 100Gb/s of port rate"},
	{Name: "ecn.pmax", Kind: params.Rational, Default: "1/5", Max: "1", Section: "network",
		Doc: "probability of marking just below ecn.kmax"},
	{Name: "answer.loss", Kind: params.Rational, Default: "0", Max: "1", Section: "network",
		Doc: "probability that a host loses an acknowledgement or a congestion notice"},
	{Name: "answer.duplicate", Kind: params.Rational, Default: "0", Max: "1", Section: "network",
		Doc: "probability that a host takes one twice"},
	{Name: "answer.reorder", Kind: params.Rational, Default: "0", Max: "1", Section: "network",
		Doc: "probability that a host takes one 10us late, after others that came behind it"},
	{Name: "loss", Kind: params.Rational, Default: "0", Max: "1", Section: "network",
		Doc: "probability that a packet, but no control frame, is lost on a link"},
	{Name: "control.loss", Kind: params.Rational, Default: "0", Max: "1", Section: "network",
		Doc: "probability that a control frame is lost on a link"},
	{Name: "control.duplicate", Kind: params.Rational, Default: "0", Max: "1", Section: "network",
		Doc: "probability that a control frame arrives twice"},
	{Name: "control.reorder", Kind: params.Rational, Default: "0", Max: "1", Section: "network",
		Doc: "probability that a control frame arrives behind the next one of its link"},
}

var noneParameters = []params.Definition{
	{Name: "none.alpha", Kind: params.Rational, Default: "", Min: "1/1024", Max: "1024",
		Section: "none",
		Doc: "dynamic threshold: a packet is dropped if its egress queue would become longer than this " +
			"share of the free buffer; unset: no limit but the buffer"},
}

var pfcParameters = []params.Definition{
	{Name: "pfc.alpha", Kind: params.Rational, Default: "1/4", Min: "1/1024", Max: "1024",
		Section: "pfc",
		Doc: "dynamic threshold: share of the free shared buffer that an ingress of a host-rate " +
			"port may hold; doubled for each doubling of the port's rate"},
	{Name: "pfc.reserve", Kind: params.Bytes, Default: "4KiB", Section: "pfc",
		Doc: "bytes of each ingress and priority that are not charged to the shared buffer"},
	{Name: "pfc.headroom", Kind: params.Rational, Default: "8", Max: "1024", Section: "pfc",
		Doc: "headroom of an ingress port in one-way bandwidth-delay products of its link"},
	{Name: "pfc.xoff", Kind: params.Bytes, Default: "", Min: "1B", Section: "pfc",
		Doc: "static threshold of an ingress and priority (X_off), whose X_on is pfc.resume less; " +
			"unset: dynamic"},
	{Name: "pfc.resume", Kind: params.Bytes, Default: "3KiB", Section: "pfc",
		Doc: "resume offset: how far below the threshold an ingress falls before it is resumed"},
	{Name: "pfc.xon", Kind: params.Bytes, Default: "", Section: "pfc",
		Doc: "static X_on, where pfc.xoff is set; unset: pfc.resume below it"},
	{Name: "pfc.xoff-bdp", Kind: params.Rational, Default: "", Max: "1024", Section: "pfc",
		Doc: "static X_off of each port, in one-way bandwidth-delay products of its link, where " +
			"pfc.xoff is unset"},
	{Name: "pfc.xon-bdp", Kind: params.Rational, Default: "", Max: "1024", Section: "pfc",
		Doc: "static X_on, where pfc.xoff-bdp is set, in the same; unset: pfc.resume below it"},
	{Name: "pfc.egress", Kind: params.Bytes, Default: "0", Section: "pfc",
		Doc: "egress threshold of capfc; 0: three times X_off"},
	{Name: "pfc.guard", Kind: params.Rational, Default: "2", Min: "1", Max: "16", Section: "pfc",
		Doc: "multiple of X_off at which capfc and ppfc pause whatever the egress queues are"},
	{Name: "pfc.ahead", Kind: params.Time, Default: "0", Max: "1s", Section: "pfc",
		Doc: "how far ppfc-derivative looks ahead; 0: the round-trip time of the link and 1us"},
	{Name: "pfc.lower", Kind: params.Bytes, Default: "0", Section: "pfc",
		Doc: "lower threshold of gfc, 0: X_on, and of gpfc for classes 0 to 3, 0: 68/75 of X_off"},
	{Name: "pfc.quanta", Kind: params.Int, Default: "65535", Min: "1", Max: "65535", Section: "pfc",
		Doc: "pause time sent, in quanta of 512 bit times; refreshed at a third"},
}

// ratio returns a parameter of kind Rational as configurations take it.
func ratio(v *params.Values, name string) sluice.Ratio {
	num, den := v.Rational(name)
	return sluice.Ratio{Num: num, Den: den}
}
