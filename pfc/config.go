package pfc

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Limits of a configuration. They keep every product of the threshold tests within 63 bits.
const (
	MaxPorts               = bitset.Max // ports of a switch
	MaxBuffer sluice.Bytes = 4 << 40    // 4 TiB
	maxLimit               = 1<<31 - 1  // reserve, headroom, resume offset and quantum, in bytes
)

// DefaultQuantum is what Group.Quantum zero means: no frame of the usual sizes, jumbo frames
// included, is larger.
const DefaultQuantum = 9216 * sluice.Byte

// DefaultPause is what PortConfig.Pause zero means: the longest pause time that the format has.
const DefaultPause sluice.Quanta = 0xffff

// Group is a set of queues that share what strict priority leaves them by deficit round robin.
type Group struct {
	// Classes of the group, by the numbers of their queues; not empty.
	Classes sluice.ClassSet
	// Quantum is what each class of the group may send per round, in bytes; the ratio of two is the
	// ratio of their shares. Zero means DefaultQuantum. Entries of other classes must be zero.
	Quantum [sluice.Classes]sluice.Bytes
}

// Config configures a switch. New copies it.
type Config struct {
	// Ports of the switch, numbered by their index: 1 to MaxPorts.
	Ports []PortConfig
	// Buffer is the memory of the switch in bytes, at most MaxBuffer. Pool 0 is the part beyond the
	// reserves and headrooms of all ports and beyond Pools. Those must fit. Zero means no limit,
	// which goes with static thresholds only.
	Buffer sluice.Bytes
	// CellSize is the unit of the memory, in bytes: a packet takes whole cells, and every amount
	// that the switch returns is counted in them. 0 or 1 counts bytes. At least 64, the smallest
	// frame, otherwise, and at most 64 KiB.
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
	// EgressPools are the sizes of the pools that PortConfig.QoS limits egress queues by, from 0 on,
	// in bytes: at most 8. A packet is counted to its ingress pool and to the egress pool of its
	// queue. They take nothing of Buffer.
	EgressPools []sluice.Bytes
	// Groups of classes, in strict priority, the first served first; each class is in exactly one.
	// Nil means strict priority among all queues, queue 7 first.
	Groups []Group
	// Retag are the classes that change on the way, as Tagger and PFC's variants without circles
	// need it: a packet leaves in the class of the first rule that fits it, in its own if none
	// does. The ingress accounts it, and pauses its peer, in the class that it came in; it waits in
	// the queue of the class in which it leaves, and the verdict of Dequeue has that class. Nil:
	// none changes. It takes a byte for each class of each pair of ports.
	Retag []Retag
	// MAC is the source address of frames sent by ports that have none of their own. It must not
	// have the multicast bit. Zero is for simulations.
	MAC sluice.MAC
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
	Trigger trigger.Kind
	// Variant is what other triggers need.
	Variant trigger.Variant
}

// HostConfig returns the configuration of a host's network card: one port of link, whose packets
// have the ingress sluice.Local, and which obeys pauses of all classes. It accounts nothing, as the
// packets are in the host's memory.
func HostConfig(link sluice.Link) Config { return Config{Ports: []PortConfig{{Link: link}}} }

// filled returns a deep copy of a configuration that passed the check, with its defaults filled in.
func (c Config) filled() Config {
	c.Ports = slices.Clone(c.Ports)
	c.Groups = slices.Clone(c.Groups)
	c.Pools, c.EgressPools = slices.Clone(c.Pools), slices.Clone(c.EgressPools)
	c.Retag = slices.Clone(c.Retag)
	c.Classes = c.Classes.Or(sluice.AllClasses)
	check.Default(&c.ReservedClasses, sluice.Classes)
	for i := range c.Ports {
		c.Ports[i].fill(&c)
	}
	fillGroups(c.Groups)
	c.Watchdog.fill()
	return c
}

func fillGroups(groups []Group) {
	for i := range groups {
		for class := range groups[i].Quantum {
			if groups[i].Classes.Has(sluice.Class(class)) {
				check.Default(&groups[i].Quantum[class], DefaultQuantum)
			}
		}
	}
}

func (c *Config) lossless(port int) sluice.ClassSet {
	return c.Ports[port].Classes.Or(c.Classes.Or(sluice.AllClasses)) & sluice.AllClasses
}

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

// overcommitted reports whether less is set apart than lossless classes are promised.
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
	most := cmp.Or(c.ReservedClasses, sluice.Classes)
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
		for rest := c.accounted(i) &^ lossless; rest != 0; rest &= rest - 1 {
			sum += p.profile(lowest(rest)).Reserve
		}
	}
	return sum
}

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
