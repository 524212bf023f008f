package pfc

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// Limits of a configuration. They keep every product of the threshold tests within 63 bits.
const (
	MaxPorts               = bitset.Max // ports of a switch
	MaxBuffer sluice.Bytes = 4 << 40    // 4 TiB
	maxLimit               = 1<<31 - 1  // reserve, headroom, resume offset and quantum, in bytes
)

// DefaultQuantum is what a class of a group may send per round when its quantum is zero: no
// frame of the usual sizes, jumbo frames included, is larger.
const DefaultQuantum = 9216 * sluice.Byte

// DefaultPause is the pause time of a frame sent when the configuration gives none: the longest
// that the format can express, 65,535 quanta.
const DefaultPause sluice.Quanta = 0xffff

// ScaleAlpha returns the alpha of a port of the given rate where a port of the reference rate has
// alpha: doubled for every halving that brings rate to reference or below, as the ns-3
// codes of HPCC and Pyrrha do for ports faster than the network cards. A port no faster
// than the reference keeps alpha. A result that is not Valid stays at the largest doubling
// that does. Nothing applies it unasked: call it where Config is filled.
func ScaleAlpha(alpha sluice.Ratio, rate, reference sluice.Rate) sluice.Ratio {
	if reference <= 0 {
		return alpha
	}
	for ; rate > reference; rate /= 2 {
		switch {
		case alpha.Den%2 == 0 && alpha.Den > 0:
			alpha.Den /= 2
		case alpha.Num*2 <= sluice.MaxRatio:
			alpha.Num *= 2
		default:
			return alpha
		}
	}
	return alpha
}

// Mode is the kind of pause frame that a port speaks. IEEE 802.1Q lets a port use one of the two,
// not both.
type Mode uint8

// Modes.
const (
	// PriorityPause: IEEE 802.1Qbb PFC frames, both ways. Classic PAUSE frames received are
	// counted and ignored.
	PriorityPause Mode = iota
	// ClassicPause: IEEE 802.3x PAUSE frames, both ways. One received holds every class of the port. One
	// is sent while any lossless class of the ingress is over its threshold. PFC
	// frames received are counted and ignored.
	ClassicPause
	// ClassicObey: IEEE 802.3x PAUSE frames are obeyed and none are sent, the asymmetric
	// flow control of IEEE 802.3 annex 28B. The ingress of such a port has nothing that stops its
	// peer, so its lossless classes lose packets when their headroom is full.
	ClassicObey
	numModes
)

// String names the mode.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

var modeNames = [...]string{"priority pause", "classic pause", "classic obey"}

// PortConfig configures one port.
type PortConfig struct {
	// Link is the wire. Its rate, which must be positive, sets the length of a pause quantum, received and sent.
	// Its delay, 0 to 1 s, is what HeadroomFor needs; nothing else depends on it.
	Link sluice.Link

	// Alpha is the share of the free pool that one lossless (ingress, class) may take beyond its
	// reserve: its dynamic threshold is T = alpha * free. Needed where there are lossless classes,
	// unless XOff is given. A switch of one port, a network card, needs neither: its packets are local.
	Alpha sluice.Ratio
	// XOff, when not zero, is a static threshold in the place of Alpha: a pause goes out when an
	// (ingress, class) holds this many bytes, reserve included. At least Reserve. Alpha must
	// then be left out.
	XOff sluice.Bytes
	// XOn goes with XOff: a resume goes out when the (ingress, class) has come down to this many
	// bytes. From Reserve to XOff.
	XOn sluice.Bytes
	// ResumeOffset goes with Alpha: a resume goes out when what is used of the pool is at least this
	// far below T, in bytes, or none is used. Not negative. Zero resumes at T. The ns-3 codes use
	// 3 KiB.
	ResumeOffset sluice.Bytes
	// Reserve is set apart for each lossless (ingress, class), in bytes. Not negative. The ns-3 codes
	// use 4 KiB.
	Reserve sluice.Bytes
	// Headroom is set apart for each lossless (ingress, class) to take what arrives after the pause, in
	// bytes. Not negative. A port is lossless while it is at least [Headroom], see HeadroomFor; with less than one
	// packet of headroom, packets can be lost before any pause was sent.
	Headroom sluice.Bytes

	// Pause is the time in the pause frames sent by this port, in quanta. Zero means
	// DefaultPause. A pause is sent anew when a third of it has passed, so a third of it must be longer
	// than a frame can be delayed on its way to the wire.
	Pause sluice.Quanta
	// Mode is the kind of pause frame this port speaks.
	Mode Mode
	// MAC is the source address of frames sent by this port. Zero means Config.MAC.
	MAC [6]byte

	// LossyAlpha limits the egress queues of the lossy classes of this port: a packet is dropped if its
	// queue would become longer than LossyAlpha times the free pool (dynamic threshold of Choudhury
	// and Hahne, applied to the egress queue). Zero means no limit but the pool itself: one
	// queue may fill the whole of it.
	LossyAlpha sluice.Ratio
	// ECN is the marking of each class at this egress port. Scaling with the rate of the port is the
	// caller's.
	ECN [sluice.Classes]sluice.Marking
}

// Group is a set of classes that share what strict priority leaves them by deficit round robin.
type Group struct {
	// Classes of the group; not empty.
	Classes sluice.ClassSet
	// Quantum is what each class of the group may send per round, in bytes; the ratio of two is the
	// ratio of their shares. Zero means DefaultQuantum. Entries of other classes must be zero.
	Quantum [sluice.Classes]sluice.Bytes
}

// Config configures a switch. New copies it.
type Config struct {
	// Ports of the switch, numbered by their index: 1 to MaxPorts.
	Ports []PortConfig
	// Buffer is the memory of the switch in bytes, at most MaxBuffer. What it has beyond the
	// reserves and headrooms of all ports is the shared pool. Those must fit. Zero means no limit,
	// which goes with static thresholds only.
	Buffer sluice.Bytes
	// Classes are the lossless ones: accounted by ingress and paused. Zero means all. The others are
	// dropped where the buffer is full; with sluice.NoClasses it is an ordinary lossy switch with a shared
	// buffer and drop tail.
	Classes sluice.ClassSet
	// ReservedClasses is how many lossless classes of each port get their reserve and headroom set apart. Zero
	// means all of them. The ns-3 codes set apart one, whatever the number of classes; then bytes
	// held can exceed Buffer. At most the number of lossless classes.
	ReservedClasses int
	// Groups of classes, in strict priority, the first served first; each class is in exactly one.
	// Nil means strict priority among all classes, class 7 first.
	Groups []Group
	// MAC is the source address of frames sent by ports that have none of their own. It must not have
	// the multicast bit. Zero is for simulations.
	MAC [6]byte
	// Seed of the marking.
	Seed uint64
	// Watchdog against pause storms. The zero value is off.
	Watchdog Watchdog
}

// HostConfig returns the configuration of a host's network card: one port of link, whose packets have the
// ingress sluice.Local. All classes obey the peer's pauses. Nothing is accounted, so that there are no
// thresholds, no headroom and no limit of the buffer: the packets are in the host's memory.
func HostConfig(link sluice.Link) Config { return Config{Ports: []PortConfig{{Link: link}}} }

// filled returns a deep copy of a configuration that passed the check, with its defaults filled in.
func (c Config) filled() Config {
	c.Ports = slices.Clone(c.Ports)
	c.Groups = slices.Clone(c.Groups)
	c.Classes = c.Classes.OrAll()
	if c.ReservedClasses == 0 {
		c.ReservedClasses = c.Classes.Len()
	}
	if c.Classes == 0 {
		c.Classes = sluice.NoClasses
	}
	for i := range c.Ports {
		p := &c.Ports[i]
		if p.Pause == 0 {
			p.Pause = DefaultPause
		}
		if p.MAC == ([6]byte{}) {
			p.MAC = c.MAC
		}
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		for class := range g.Quantum {
			if g.Classes.Has(sluice.Class(class)) && g.Quantum[class] == 0 {
				g.Quantum[class] = DefaultQuantum
			}
		}
	}
	c.Watchdog.fill()
	return c
}

// pool returns the bytes of the buffer that are shared.
func (c *Config) pool() sluice.Bytes {
	if c.Buffer == 0 {
		return MaxBuffer
	}
	classes := c.ReservedClasses
	if classes == 0 {
		classes = c.Classes.OrAll().Len()
	}
	pool := c.Buffer
	for i := range c.Ports {
		pool -= sluice.Bytes(classes) * (c.Ports[i].Reserve + c.Ports[i].Headroom)
	}
	return pool
}
