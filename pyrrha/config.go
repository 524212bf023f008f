package pyrrha

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
)

// Role is the kind of device at the other end of a port's link.
type Role uint8

// Roles.
const (
	Down Role = iota // a switch that is not nearer to the core
	Up               // a switch nearer to the core
	Host             // a host, seen from its switch
	NIC              // the host's switch, seen from the host
	// Legacy is a neighbour, switch or host, that does not speak Pyrrha: it is sent no frames and
	// is in no tree. Only its packets count; its frames are ignored. An underlying flow control
	// limits it (section IV-E).
	Legacy
)

// String names the role.
func (r Role) String() string { return enum.Name(r, "Role", "down", "up", "host", "nic", "legacy") }

// Organisation is how isolation queues are laid out (section V-A).
type Organisation uint8

// Organisations.
const (
	Hierarchical Organisation = iota // one IQ per root, in levels by distance
	SingleTier                       // one IQ per set of roots
)

// String names the organisation.
func (o Organisation) String() string {
	return enum.Name(o, "Organisation", "hierarchical", "single tier")
}

// ChildRule is the measure that a child of a congestion tree compares with K_pause and K_resume.
type ChildRule uint8

// Rules.
const (
	// ByIngress: the bytes that came in by one port and wait here for the root, whatever port
	// they leave by. It is the rule of the authors' ns-3 code.
	ByIngress ChildRule = iota
	// ByQueue: the bytes that wait for the root at one egress port. A child of the paper compares
	// the length of its IQ (section IV-D).
	ByQueue
)

// String names the rule.
func (r ChildRule) String() string { return enum.Name(r, "ChildRule", "by ingress", "by queue") }

// UpRule says when a port of role Up claims to be a congestion root.
type UpRule uint8

// Rules.
const (
	// UpImbalanced: if its OQ is also above Config.Imbalance times the mean OQ of all ports of
	// role Up: load imbalance, not mere load. It is the rule of the authors' reference runs.
	UpImbalanced UpRule = iota
	// UpAlways: like any other port, as the paper's text has it.
	UpAlways
	// UpNever: such ports are exempt.
	UpNever
)

// String names the rule.
func (r UpRule) String() string {
	return enum.Name(r, "UpRule", "if imbalanced", "always", "never")
}

// MergeRule says when a port that is a congestion root abdicates in favour of one downstream.
type MergeRule uint8

// Rules.
const (
	// MergeAlways: whenever a PAUSE names a root that is new to the port. It is the rule of the
	// paper and of its authors' code.
	MergeAlways MergeRule = iota
	// MergeIfCalm: only while the OQ is below the largest K_resume. A port above it is congested by
	// other flows as well, and would claim to be a root again with the next packet.
	MergeIfCalm
	// MergeNever: never; every root remains one until its OQ is below K_resume.
	MergeNever
)

// String names the rule.
func (r MergeRule) String() string {
	return enum.Name(r, "MergeRule", "always", "if calm", "never")
}

// PortConfig describes a port.
type PortConfig struct {
	// Link is the rate and the one-way delay of the port's link; the rate must be positive, the
	// delay not negative.
	Link sluice.Link
	// Role is the kind of device at its other end.
	Role Role
	// Levels is the distance in hops of the farthest root that is isolated at this port, 1 to
	// hiq.MaxLevels; it follows from the port's place in the network (section IV-C). Where IQs are
	// few, a port should have no more levels than its place needs, because one IQ is kept for each.
	// 0: Config.Levels.
	Levels int
}

// Config describes a switch. [HostConfig] is a host's network card.
type Config struct {
	// Switch is the node's identity; its ports as congestion roots are Hop{Switch, port}.
	Switch sluice.SwitchID

	// Ports are its ports, 1 to MaxPorts.
	Ports []PortConfig

	// MAC is the source address of its frames. Zero is allowed.
	MAC sluice.MAC

	// Classes are the classes under Pyrrha. They share the OQ and the IQs. Packets of other
	// classes have one queue per class and are neither held nor accounted. Zero: all classes;
	// sluice.NoClasses: none.
	Classes sluice.ClassSet

	// Organisation of the isolation queues.
	Organisation Organisation

	// Unordered is the paper's rule for the IQ of a new set of roots in a single tier: it is served at
	// once, though packets wait for its subsets: see hiq.Config. Flows may then be reordered when a
	// root appears; QueueCounters.Overtakes counts the packets.
	Unordered bool

	// FreeMerged is the paper's rule for a root that MERGE named as the new one (section IV-C): its IQ
	// is freed as soon as nothing waits for it and the switch is a leaf. By default it is kept until
	// the old one's IQ has drained, and no tree outlives its traffic.
	FreeMerged bool

	// KeepPaused is the paper's rule for a root of a single tier that has resumed: it goes on pausing
	// its upstreams until its packets are below K_resume, though they wait for other roots of their
	// sets. See Deviations for our rule. It costs the freedom from deadlock where routes go round a
	// circle for good, also with Refresh: two roots can each keep a switch of the circle paused for
	// packets that wait for the other. Of 40,242 random networks 63 stuck with it, all of them rings
	// whose routes loop; of 36,997 of the same networks none did without it.
	KeepPaused bool

	// Pause is K_pause and Resume is K_resume, in one-hop bandwidth-delay products: the rate of
	// the egress port times twice the one-way delay of the ingress link. Pause must not be below
	// Resume; each at most 1,024. Zero: 2 and 1 (section VIII).
	Pause, Resume sluice.Ratio

	// Child is the measure that a child compares with the thresholds.
	Child ChildRule

	// UpPorts says when a port of role Up claims to be a root, Imbalance by how much its OQ must
	// exceed the mean for UpImbalanced. Zero: 2.
	UpPorts   UpRule
	Imbalance sluice.Ratio

	// AbdicateUp lets a port of role Up abdicate in favour of a root farther downstream like any
	// other, as the paper's text has it. The authors' code has up-ports remain roots.
	AbdicateUp bool

	// Merge says when a root abdicates at all.
	Merge MergeRule

	// Levels is PortConfig.Levels of the ports that do not say it. 0: hiq.MaxLevels.
	Levels int
	// IQs is the number of isolation queues per port, see hiq.Config. 0: 100.
	IQs int
	// Roots is how many congestion roots of other switches may be known at once, from 1; with the
	// ports at most 4,080. 0: 256.
	Roots int
	// MTU is the size of the largest packet, see hiq.Config. 0: 1,518 bytes.
	MTU sluice.Bytes
	// Scheduler chooses among the IQs of a level.
	Scheduler hiq.Scheduler
	// Speedup is the rate of moves between levels in multiples of the line rate, 1 to 64. 0: 1.
	Speedup int

	// Buffer is how many bytes all queues may hold; a packet beyond it is dropped. 0: no limit.
	Buffer sluice.Bytes

	// Refresh is how often the state of every upstream that was paused or resumed, and is not known to
	// have left the tree, is sent again. It repairs whatever a lost, doubled or reordered frame did.
	// 0: never, as in the paper, which assumes that no frame is lost. It must not be negative.
	Refresh sluice.Time
	// Expiry is how long a PAUSE received is obeyed if it is not repeated. It must be above the
	// neighbours' Refresh; several times, if frames are lost. 0: four times Refresh, and for ever
	// if that is 0.
	Expiry sluice.Time
}

// MaxPorts is the most ports of a switch.
const MaxPorts = 1024

// HostConfig returns the configuration of the network card of a host with that link: one port of
// role NIC, whose packets have the ingress sluice.Local. Set Config.Switch: hosts are named as
// switches are, and the paths of their packets begin with their own port, 0.
func HostConfig(link sluice.Link) Config {
	return Config{Ports: []PortConfig{{Link: link, Role: NIC}}}
}

// withDefaults returns a copy of c in which every zero has its meaning, or the first rule that c
// breaks. It shares nothing with c. What concerns the queues alone, package hiq checks.
func (c Config) withDefaults() (Config, error) {
	c = c.clone()
	k := check.Of("pyrrha", "Config")
	c.checkPorts(k)
	c.checkThresholds(k)
	c.checkChoices(k)
	k.Classes(&c.Classes, sluice.AllClasses, "Classes")
	check.Default(&c.IQs, 100)
	check.Default(&c.Roots, 256)
	k.That(c.Roots >= 1 && c.Roots+answers+len(c.Ports) <= bitset.Max, c.Roots,
		"must be at least 1, and with the number of ports at most 4,080", "Roots")
	check.Default(&c.Speedup, 1)
	k.That(c.Buffer >= 0, c.Buffer, "must not be negative", "Buffer")
	k.That(c.Refresh >= 0, c.Refresh, "must not be negative", "Refresh")
	check.Default(&c.Expiry, c.Refresh.Add(c.Refresh).Add(c.Refresh).Add(c.Refresh))
	k.That(c.Expiry == 0 || c.Expiry > c.Refresh, c.Expiry, "must be 0 or above Refresh", "Expiry")
	return c, k.Err()
}

func (c *Config) checkPorts(k *check.Config) {
	check.Within(k, len(c.Ports), 1, MaxPorts, "Ports")
	check.Default(&c.Levels, hiq.MaxLevels)
	check.Within(k, c.Levels, 1, hiq.MaxLevels, "Levels")
	for i := range c.Ports {
		p := &c.Ports[i]
		k.Link(p.Link, "Ports[%d].Link", i)
		k.That(p.Role <= Legacy, p.Role, "must be Down, Up, Host, NIC or Legacy", "Ports[%d].Role", i)
		check.Default(&p.Levels, c.Levels)
		check.Within(k, p.Levels, 1, hiq.MaxLevels, "Ports[%d].Levels", i)
	}
}

func (c *Config) checkThresholds(k *check.Config) {
	k.Products(&c.Pause, sluice.Ratio{Num: 2, Den: 1}, "Pause")
	k.Products(&c.Resume, sluice.Ratio{Num: 1, Den: 1}, "Resume")
	k.Products(&c.Imbalance, sluice.Ratio{Num: 2, Den: 1}, "Imbalance")
	k.That(c.Pause.Num*c.Resume.Den >= c.Resume.Num*c.Pause.Den, c.Pause,
		"must not be below Resume", "Pause")
}

func (c *Config) checkChoices(k *check.Config) {
	k.That(c.Organisation <= SingleTier, c.Organisation, "must be Hierarchical or SingleTier",
		"Organisation")
	k.That(c.Child <= ByQueue, c.Child, "must be ByIngress or ByQueue", "Child")
	k.That(c.UpPorts <= UpNever, c.UpPorts, "must be UpImbalanced, UpAlways or UpNever", "UpPorts")
	k.That(c.Merge <= MergeNever, c.Merge, "must be MergeAlways, MergeIfCalm or MergeNever", "Merge")
}

func (c Config) clone() Config {
	c.Ports = slices.Clone(c.Ports)
	return c
}

// threshold returns k one-hop bandwidth-delay products: rate of the egress port, twice the one-way
// delay of the ingress link.
func threshold(k sluice.Ratio, egress, ingress sluice.Link) sluice.Bytes {
	return check.BDPs(k, egress.Rate, ingress.RoundTrip())
}
