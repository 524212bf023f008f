package pfc

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
	"github.com/sluicefc/sluice/pfc/qos"
)

// Mode is the kind of pause frame that a port speaks. IEEE 802.1Q lets a port use one of the two,
// not both.
type Mode uint8

// Modes.
const (
	// PriorityPause: IEEE 802.1Qbb PFC frames, both ways. Classic PAUSE frames are ignored, and
	// counted.
	PriorityPause Mode = iota
	// ClassicPause: IEEE 802.3x PAUSE frames, both ways. One received holds every class of the port.
	// One is sent while any lossless class of the ingress is over its threshold. PFC frames are
	// ignored, and counted.
	ClassicPause
	// ClassicObey: IEEE 802.3x PAUSE frames are obeyed and none are sent, the asymmetric
	// flow control of IEEE 802.3 annex 28B. The ingress of such a port has nothing that stops its
	// peer, so its lossless classes lose packets when their headroom is full.
	ClassicObey
	numModes
)

// String names the mode.
func (m Mode) String() string {
	return enum.Name(m, "Mode", "priority pause", "classic pause", "classic obey")
}

// PortConfig configures one port.
type PortConfig struct {
	// Link is the wire. Its rate, which must be positive, sets the length of a pause quantum,
	// received and sent. Its delay, 0 to 1 s, is what HeadroomFor needs; nothing else depends on
	// it.
	Link sluice.Link
	// Pipeline is how long a packet or a frame takes inside this switch: from its last bit on the
	// wire of this port to its Enqueue, and from PollFrame to the first bit of the frame, together. 0
	// to 1 s. For HeadroomFor, as the next four.
	Pipeline sluice.Time
	// PHY is how long this port's transceivers take, one way. The peer's are in the reaction that the
	// standard allows it. 0 to 1 s.
	PHY sluice.Time

	// MTU is the largest frame that the port sends, of any class: a lossy one too delays a pause
	// behind it. Zero: none is larger than the lossless ones. Not negative.
	MTU sluice.Bytes
	// Overhead is what a frame takes of the wire beyond its Size: EthernetOverhead on a real one, and
	// 4 more if Size leaves out the check sequence. Zero: nothing, as in many simulators. Not
	// negative.
	Overhead sluice.Bytes
	// Reaction is how many quanta the peer takes to obey. Zero: what IEEE 802.3 allows it, see the
	// function Reaction.
	Reaction sluice.Quanta

	// Classes are lossless at this ingress. Zero means Config.Classes.
	Classes sluice.ClassSet
	// Obeys are the classes of this egress that pauses received hold. Zero means Classes: the same
	// in both directions. Asymmetric PFC, as SONiC calls it, is to obey all: sluice.AllClasses.
	// Classic pauses hold all classes whatever it says.
	Obeys sluice.ClassSet
	// Sends are the classes of this ingress that pause its peer. Zero means Classes. A lossless
	// class that is not among them is accounted, and loses packets when its headroom is full.
	Sends sluice.ClassSet

	// Profile is for each lossless class that Profiles says nothing about.
	Profile
	// Profiles are for classes that differ, by class. Nil means Profile.
	Profiles [sluice.Classes]*Profile

	// Pause is the time in the pause frames sent by this port, in quanta. Zero means DefaultPause.
	// A pause is sent anew when a third of it has passed, so a third of it must be longer than a
	// frame can be delayed on its way to the wire.
	Pause sluice.Quanta
	// Mode is the kind of pause frame this port speaks.
	Mode Mode
	// MAC is the source address of frames sent by this port. Zero means Config.MAC.
	MAC sluice.MAC
	// Strict refuses frames received that are not to the bit what this port would send: see
	// [Frame.ParseStrict].
	Strict bool

	// LossyAlpha limits the egress queues of this port's lossy packets: a packet is dropped if its
	// queue would become longer than LossyAlpha times what is free of their pool (dynamic threshold
	// of Choudhury and Hahne, applied to the egress queue). Zero means 1 where they share a pool
	// with lossless classes, so that one queue leaves the lossless classes half of it; elsewhere
	// the pool itself is the only limit.
	LossyAlpha sluice.Ratio
	// LossyReserve is set apart for the lossy packets of each egress queue, in bytes: a minimum
	// that no congestion elsewhere takes away. Not negative.
	LossyReserve sluice.Bytes
	// Watchdog is what the watchdog does at this port. Nil: what Config.Watchdog says.
	Watchdog *PortWatchdog
	// ECN is the marking of each class at this egress port. Scaling with the rate of the port is
	// the caller's.
	ECN [sluice.Classes]sluice.Marking
	// Groups are the groups of this egress, in place of Config.Groups: SONiC's SCHEDULER of a port's
	// queues.
	Groups []Group
	// QoS is what the port does beside flow control: maps, limits of queues and ports, WRED, shapers.
	// Nil: nothing, and nothing is slower for it. Where it has maps, the numbers in Classes, Sends and
	// Profiles are numbers of priority groups, the numbers in Obeys, ECN, Groups and
	// Watchdog.Classes numbers of queues.
	QoS *qos.Port
}

// fill fills in the defaults of one port of a configuration, whose Classes are explicit.
func (p *PortConfig) fill(c *Config) {
	p.Classes = p.Classes.Or(c.Classes)
	p.Obeys, p.Sends = p.Obeys.Or(p.QoS.QueuesOf(p.Classes)), p.Sends.Or(p.Classes)
	p.Profile.fill()
	for class, own := range p.Profiles {
		if own != nil {
			profile := *own
			profile.fill()
			p.Profiles[class] = &profile
		}
	}
	p.Groups, p.QoS = slices.Clone(p.Groups), p.QoS.Clone()
	fillGroups(p.Groups)
	if p.Watchdog != nil {
		own := *p.Watchdog
		own.fill()
		p.Watchdog = &own
	}
	check.Default(&p.Pause, DefaultPause)
	check.Default(&p.MAC, c.MAC)
	if !given(p.LossyAlpha) && c.Buffer != 0 && c.sharesLossyPool() {
		p.LossyAlpha = sluice.Ratio{Num: 1, Den: 1}
	}
}
