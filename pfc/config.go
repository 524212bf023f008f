package pfc

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/enum"
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

// Mode is the kind of pause frame that a port speaks. IEEE 802.1Q lets a port use one of the two,
// not both.
type Mode uint8

// Modes.
const (
	// PriorityPause: IEEE 802.1Qbb PFC frames, both ways. Classic PAUSE frames received are
	// counted and ignored.
	PriorityPause Mode = iota
	// ClassicPause: IEEE 802.3x PAUSE frames, both ways. One received holds every class of the
	// port. One is sent while any lossless class of the ingress is over its threshold. PFC frames
	// received are counted and ignored.
	ClassicPause
	// ClassicObey: IEEE 802.3x PAUSE frames are obeyed and none are sent, the asymmetric
	// flow control of IEEE 802.3 annex 28B. The ingress of such a port has nothing that stops its
	// peer, so its lossless classes lose packets when their headroom is full.
	ClassicObey
	numModes
)

// String names the mode.
func (m Mode) String() string { return enum.Name(modeNames[:], "Mode", m) }

var modeNames = [...]string{"priority pause", "classic pause", "classic obey"}

// PortConfig configures one port.
type PortConfig struct {
	// Link is the wire. Its rate, which must be positive, sets the length of a pause quantum,
	// received and sent. Its delay, 0 to 1 s, is what HeadroomFor needs; nothing else depends on
	// it.
	Link sluice.Link
	// Pipeline is how long a packet or a frame takes inside this switch: from its last bit on the
	// wire of this port to its Enqueue, and from PollFrame to the first bit of the frame, together.
	// 0 to 1 s, for HeadroomFor.
	Pipeline sluice.Time
	// PHY is how long this port's transceivers take, one way. The peer's are in the reaction that
	// the standard allows it. 0 to 1 s, for HeadroomFor.
	PHY sluice.Time

	// MTU is the largest frame that the port sends, of any class: a lossy one too delays a pause
	// behind it. Zero: none is larger than the lossless ones. For HeadroomFor, as the next two. Not
	// negative.
	MTU sluice.Bytes
	// Overhead is what a frame takes of the wire beyond its Size: EthernetOverhead on a real one, and
	// 4 more if Size leaves out the check sequence. Zero: nothing, as in many simulators; on a real
	// wire the headroom is then more than is needed. Not negative.
	Overhead sluice.Bytes
	// Reaction is how many quanta the peer takes to obey. Zero: what IEEE 802.3 allows it, see the
	// function Reaction.
	Reaction sluice.Quanta

	// Classes are those that are lossless at this ingress. Zero means Config.Classes.
	Classes sluice.ClassSet
	// Obeys are the classes of this egress that pauses received hold. Zero means Classes: the same
	// in both directions. Asymmetric PFC, as SONiC calls it, is to obey all: sluice.AllClasses.
	// Classic pauses hold all classes whatever it says.
	Obeys sluice.ClassSet
	// Sends are the classes of this ingress whose peer is told to pause. Zero means Classes. A
	// lossless class that is not among them is accounted, and loses packets when its headroom is
	// full.
	Sends sluice.ClassSet

	// Profile is that of each lossless class that Profiles says nothing about.
	Profile
	// Profiles are those of classes that differ. Nil means Profile.
	Profiles [sluice.Classes]*Profile

	// Pause is the time in the pause frames sent by this port, in quanta. Zero means DefaultPause.
	// A pause is sent anew when a third of it has passed, so a third of it must be longer than a
	// frame can be delayed on its way to the wire.
	Pause sluice.Quanta
	// Mode is the kind of pause frame this port speaks.
	Mode Mode
	// MAC is the source address of frames sent by this port. Zero means Config.MAC.
	MAC [6]byte
	// Strict refuses frames received that are not to the bit what this port would send: see
	// [Frame.ParseStrict].
	Strict bool

	// LossyAlpha limits the egress queues of this port's lossy packets: a packet is dropped if its
	// queue would become longer than LossyAlpha times what is free of their pool (dynamic threshold
	// of Choudhury and Hahne, applied to the egress queue). Zero means 1 where they share a pool
	// with lossless classes, so that one queue leaves those half of it; elsewhere no limit but the
	// pool itself.
	LossyAlpha sluice.Ratio
	// LossyReserve is set apart for the lossy packets of each egress queue, in bytes: a minimum
	// that no congestion elsewhere takes away. Not negative.
	LossyReserve sluice.Bytes
	// Watchdog is what the watchdog does at this port. Nil: what Config.Watchdog says.
	Watchdog *PortWatchdog
	// ECN is the marking of each class at this egress port. Scaling with the rate of the port is
	// the caller's.
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
	// reserves and headrooms of all ports and beyond Pools is pool 0. Those must fit. Zero means no
	// limit, which goes with static thresholds only.
	Buffer sluice.Bytes
	// CellSize is what the memory is divided into, in bytes: a packet takes whole cells, and every
	// amount that the switch tells is counted in them. 0 or 1 counts bytes. At least 64, the
	// smallest frame, otherwise, and at most 64 KiB.
	CellSize sluice.Bytes
	// Classes are the lossless ones: accounted by ingress and paused. Zero means all. The others
	// are dropped where the buffer is full; with sluice.NoClasses it is an ordinary lossy switch
	// with a shared buffer and drop tail.
	Classes sluice.ClassSet
	// ReservedClasses is how many lossless classes of each port get their reserve and headroom set
	// apart, the lowest first. Zero means all of them. The ns-3 codes set apart one, whatever the
	// number of classes. With fewer than there are, more is promised than there is: a packet for
	// which the whole Buffer has no room is dropped, lossless or not. At most 8.
	ReservedClasses int
	// HeadroomPool is the shared headroom pool: all headrooms together take no more than so much,
	// which is set apart in their place. Zero: each has its own.
	HeadroomPool sluice.Bytes
	// Pools are the sizes of pools 1, 2 and so on, in bytes: at most 7, for profiles and for
	// LossyPool.
	Pools []sluice.Bytes
	// LossyPool is the pool that lossy packets share.
	LossyPool int
	// Groups of classes, in strict priority, the first served first; each class is in exactly one.
	// Nil means strict priority among all classes, class 7 first.
	Groups []Group
	// Retag are the classes that change on the way, as Tagger and PFC's variants without circles
	// need it: a packet leaves in the class of the first rule that fits it, in its own if none does.
	// The ingress accounts it, and pauses its peer, in the class that it came in; the queue is that
	// of the class in which it leaves, which the verdict of Dequeue tells. Nil: none changes. It
	// takes a byte for each class of each pair of ports.
	Retag []Retag
	// MAC is the source address of frames sent by ports that have none of their own. It must not
	// have the multicast bit. Zero is for simulations.
	MAC [6]byte
	// Seed of the marking.
	Seed uint64
	// Watchdog against pause storms. The zero value is off.
	Watchdog Watchdog
	// Watermarks counts the peaks of pools and of the shared parts of priority groups, which takes
	// every packet a slower way; the other peaks are always counted.
	Watermarks bool
	// Trigger is what makes an ingress pause its upstream. The zero value is PFC. Others need
	// static thresholds and ports of mode PriorityPause, and go without a watchdog. With GFC both
	// ends of a link, cards included, must have it.
	Trigger Trigger
	// Variant is what other triggers need.
	Variant Variant
}

// HostConfig returns the configuration of a host's network card: one port of link, whose packets
// have the ingress sluice.Local. All classes obey the peer's pauses. Nothing is accounted, so that
// there are no thresholds, no headroom and no limit of the buffer: the packets are in the host's
// memory.
func HostConfig(link sluice.Link) Config { return Config{Ports: []PortConfig{{Link: link}}} }

// filled returns a deep copy of a configuration that passed the check, with its defaults filled in.
func (c Config) filled() Config {
	c.Ports = slices.Clone(c.Ports)
	c.Groups = slices.Clone(c.Groups)
	c.Pools = slices.Clone(c.Pools)
	c.Retag = slices.Clone(c.Retag)
	c.Classes = c.Classes.Or(sluice.AllClasses)
	if c.ReservedClasses == 0 {
		c.ReservedClasses = sluice.Classes
	}
	for i := range c.Ports {
		c.Ports[i].fill(&c)
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

// fill fills in the defaults of one port of a configuration, whose Classes are explicit.
func (p *PortConfig) fill(c *Config) {
	p.Classes = p.Classes.Or(c.Classes)
	p.Obeys, p.Sends = p.Obeys.Or(p.Classes), p.Sends.Or(p.Classes)
	p.Profile.fill()
	for class, own := range p.Profiles {
		if own != nil {
			profile := *own
			profile.fill()
			p.Profiles[class] = &profile
		}
	}
	if p.Watchdog != nil {
		own := *p.Watchdog
		own.fill()
		p.Watchdog = &own
	}
	if p.Pause == 0 {
		p.Pause = DefaultPause
	}
	if p.MAC == ([6]byte{}) {
		p.MAC = c.MAC
	}
	if !given(p.LossyAlpha) && c.Buffer != 0 && c.sharesLossyPool() {
		p.LossyAlpha = sluice.Ratio{Num: 1, Den: 1}
	}
}

// lossless returns the classes that are lossless at an ingress.
func (c *Config) lossless(port int) sluice.ClassSet {
	return c.Ports[port].Classes.Or(c.Classes.Or(sluice.AllClasses)) & sluice.AllClasses
}

// sharesLossyPool reports whether a lossless class of any port shares the pool of the lossy ones.
func (c *Config) sharesLossyPool() bool {
	for i := range c.Ports {
		for rest := c.lossless(i); rest != 0; rest &= rest - 1 {
			if c.Ports[i].profile(lowest(rest)).Pool == c.LossyPool {
				return true
			}
		}
	}
	return false
}

// overcommitted reports whether less is set apart than the reserves and headrooms of all lossless
// classes.
func (c *Config) overcommitted() bool {
	all := *c
	all.ReservedClasses = 0
	return c.Buffer != 0 && c.SetApart() < all.SetApart()
}

// SetApart returns the bytes of the buffer that are not pool 0: reserves, headrooms and other
// pools. Buffer must be as large, or zero.
func (c *Config) SetApart() sluice.Bytes {
	sum := c.HeadroomPool
	for _, size := range c.Pools {
		sum += size
	}
	most := c.ReservedClasses
	if most == 0 {
		most = sluice.Classes
	}
	for i := range c.Ports {
		p, lossless := &c.Ports[i], c.lossless(i)
		rest := lossless
		for n := 0; rest != 0 && n < most; n++ {
			profile := p.profile(lowest(rest))
			sum += profile.Reserve
			if c.HeadroomPool == 0 {
				sum += profile.Headroom
			}
			rest &= rest - 1
		}
		sum += sluice.Classes * p.LossyReserve
	}
	return sum
}

// poolSizes returns the size of each pool.
func (c *Config) poolSizes() (sizes [maxPools]int64) {
	sizes[0] = int64(MaxBuffer)
	if c.Buffer != 0 {
		sizes[0] = int64(c.Buffer - c.SetApart())
	}
	for i, size := range c.Pools {
		sizes[i+1] = int64(size)
	}
	return sizes
}
