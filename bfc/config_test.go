package bfc

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// New names the field that breaks a rule, and neither changes nor keeps its argument.
func TestConfigErrors(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"Ports":                   func(c *Config) { c.Ports = nil },
		"Ports[1].Link.Rate":      func(c *Config) { c.Ports[1].Link.Rate = 0 },
		"Ports[0].Link.Delay":     func(c *Config) { c.Ports[0].Link.Delay = -1 },
		"Ports[1].HRTT":           func(c *Config) { c.Ports[1].HRTT = 3 * sluice.Second },
		"Ports[0].UpstreamQueues": func(c *Config) { c.Ports[0].UpstreamQueues = 4097 },
		"Queues":                  func(c *Config) { c.Queues = 4096 },
		"VFIDs":                   func(c *Config) { c.VFIDs = -1 },
		"Assignment":              func(c *Config) { c.Assignment = 4 },
		"AssignPaused":            func(c *Config) { c.Assignment = LastFreed },
		"AssignForgotten":         func(c *Config) { c.AssignForgotten, c.Ideal = true, true },
		"Index":                   func(c *Config) { c.Index = 2 },
		"Overflow":                func(c *Config) { c.Overflow = 2 },
		"Sticky":                  func(c *Config) { c.Sticky = MaxPeriod + 1 },
		"Expiry":                  func(c *Config) { c.Expiry = DefaultPeriod },
		"Factor":                  func(c *Config) { c.Factor = sluice.Ratio{Num: 1 << 20, Den: 0} },
		"Withhold[0].Ingress":     func(c *Config) { c.Withhold = []Pair{{2, 0}} },
		"Withhold[1].Egress":      func(c *Config) { c.Withhold = []Pair{{0, 1}, {1, 2}} },
		"ResumeLimit":             func(c *Config) { c.ResumeLimit = 1<<30 + 1 },
		"ResumePeriod":            func(c *Config) { c.ResumePeriod = 2 * sluice.Second },
		"Signalling":              func(c *Config) { c.Signalling = 4 },
		"Period":                  func(c *Config) { c.Period = -1 },
		"QueuesPerFrame":          func(c *Config) { c.QueuesPerFrame = 18 },
		"Scheduler":               func(c *Config) { c.Scheduler = 3 },
		"Quantum":                 func(c *Config) { c.Quantum = -1 },
		"Buffer":                  func(c *Config) { c.Buffer = -1 },
	} {
		c := Config{Ports: []PortConfig{{Link: benchLink}, {Link: benchLink}}}
		change(&c)
		s, err := New(c)
		require.True(t, s == nil, field)
		var fault *sluice.ConfigError
		require.True(t, errors.As(err, &fault), "%s: %v", field, err)
		require.Equal(t, field, fault.Field)
		require.Equal(t, "bfc", fault.Package)
	}
	for rule, c := range map[string]Config{
		"Ideal = true: must not be set with LastFreed": {Assignment: LastFreed, AssignPaused: true,
			Ideal: true},
		"AssignForgotten = true: must not be set with AssignPaused": {AssignForgotten: true,
			AssignPaused: true},
		"Ideal = true: must not be set with LowBits":       {Index: LowBits, Ideal: true, VFIDs: 1},
		"VFIDs = 100: must be a power of two with LowBits": {Index: LowBits, VFIDs: 100},
		"Queues = 31: must be a power of two with LowBits and ": {
			Index: LowBits, Queues: 31, Overflow: HashQueue,
		},
		"HashQueue or StaticHash": {Index: LowBits, Queues: 31, Assignment: StaticHash},
		"at most 8s":              {Expiry: maxExpiry + 1},
		"Expiry = 2us: must be 0 or NoExpiry with Transitions": {
			Expiry: 2 * sluice.Microsecond, Signalling: Transitions,
		},
		"Sticky = -2ps": {Sticky: -2},
	} {
		c.Ports = make2Ports()
		_, err := New(c)
		require.ErrorContains(t, err, rule)
	}
	many := Config{Ports: make([]PortConfig, 300), Queues: 4095, VFIDs: 1, ResumeLimit: 1}
	for i := range many.Ports {
		many.Ports[i].Link = benchLink
	}
	_, err := New(many)
	require.ErrorContains(t, err, "needs at most 1048576 queues in all")
}

// The limits of fields are in their ranges.
func TestLimitsOfFields(t *testing.T) {
	for _, c := range []Config{
		{Queues: 1, VFIDs: 1, Period: 1, Quantum: 1, QueuesPerFrame: 1},
		{Sticky: MaxPeriod, Expiry: maxExpiry, ResumeLimit: 1 << 30, ResumePeriod: MaxPeriod},
		{Expiry: DefaultPeriod + 1},
	} {
		c.Ports = make2Ports()
		mustNew(t, c)
	}
}

func TestConfigIsCopied(t *testing.T) {
	c := Config{Ports: []PortConfig{{Link: benchLink}, {Link: benchLink}}, Withhold: []Pair{{0, 1}}}
	before := Config{
		Ports: append([]PortConfig(nil), c.Ports...), Withhold: append([]Pair(nil), c.Withhold...),
	}
	s := mustNew(t, c)
	require.Equal(t, before, c)
	c.Ports[0].Link.Rate = 1
	c.Withhold[0] = Pair{1, 0}
	require.Equal(t, benchLink.Rate, s.config.Ports[0].Link.Rate)
	require.Equal(t, Pair{0, 1}, s.config.Withhold[0])
}

// The zero value is the paper's form.
func TestDefaults(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}}})
	c := s.config
	require.Equal(t, []int{32, 3200, 8, 17}, []int{c.Queues, c.VFIDs, c.IdleBitmaps, c.QueuesPerFrame})
	require.Equal(t, sluice.Ratio{Num: 1, Den: 1}, c.Factor)
	require.Equal(t, sluice.AllClasses, c.Classes)
	require.Equal(t, sluice.Microsecond, c.Period)
	require.Equal(t, 32, s.Queues())
	require.Equal(t, 32, c.Ports[0].UpstreamQueues)
	require.Equal(t, TransitionsAndBitmap, c.Signalling)
	require.Equal(t, DeficitRoundRobin, c.Scheduler)
	require.Nil(t, s.Port(1))
	require.NotNil(t, s.Port(0))
	require.Nil(t, s.Port(sluice.Local))
	low := mustNew(t, Config{Ports: make2Ports(), Index: LowBits})
	require.Equal(t, 4096, low.config.VFIDs, "the next power of two")
	ideal := mustNew(t, Config{Ports: make2Ports(), Ideal: true})
	require.Equal(t, 32*FlowsPerQueue, ideal.config.VFIDs)
}

// A switch of the authors' code: 31 data queues, 7,200 VFIDs an egress, a sticky time of 6 us.
func TestAuthorsConfig(t *testing.T) {
	given := []PortConfig{{Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: 7 * sluice.Microsecond}}}
	s := mustNew(t, AuthorsConfig(given))
	require.Zero(t, given[0].HRTT)
	require.Equal(t, 2*sluice.Microsecond, s.config.Ports[0].HRTT)
	require.Equal(t, []int{31, 7200, -1}, []int{s.Queues(), s.config.VFIDs, s.config.IdleBitmaps})
	require.Equal(t, 6*sluice.Microsecond, s.ports[0].from[0].sticky)
	require.Equal(t, sluice.Microsecond, s.Deadline(), "bitmaps from the start")
}

// A switch of Pyrrha's code: 31 data queues, the lowest free one for a flow, a VFID table of 100
// entries for each queue of each port, a lone packet counts, no bitmap.
func TestPyrrhaConfig(t *testing.T) {
	s := mustNew(t, PyrrhaConfig(make2Ports()))
	c := s.Config()
	require.Equal(t, []int{31, 6400}, []int{s.Queues(), c.VFIDs})
	require.Equal(t, LowestFree, c.Assignment)
	require.Equal(t, Transitions, c.Signalling)
	require.Equal(t, LowestFirst, c.Scheduler)
	require.True(t, c.CountLonePackets && c.AssignForgotten)
	require.Equal(t, sluice.Never, s.Deadline())
}

func make2Ports() []PortConfig { return []PortConfig{{Link: benchLink}, {Link: benchLink}} }

// Config returns the configuration in force, and its own copy of it: a switch made of that is the
// same.
func TestConfigReturnsWhatIsInForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := mustNew(t, drawConfig(t)).Config()
		again := mustNew(t, c)
		require.Equal(t, c, again.Config())
		c.Ports[0].HRTT++
		require.NotEqual(t, c, again.Config())
	})
}

// Packets that no machine may accept change nothing but a counter.
func TestMalformedPackets(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}, {Link: benchLink}}, Buffer: 2000})
	for _, test := range []struct {
		packet sluice.Packet
		want   sluice.Reason
	}{
		{sluice.Packet{Size: 0}, sluice.BadSize},
		{sluice.Packet{Size: -1 << 31}, sluice.BadSize},
		{sluice.Packet{Size: 1, Ingress: 2}, sluice.BadIngress},
		{sluice.Packet{Size: 1, Ingress: 0xfffe}, sluice.BadIngress},
		{sluice.Packet{Size: 1, Class: 8}, sluice.BadClass},
		{sluice.Packet{Size: 2001}, sluice.BufferFull},
	} {
		before := s.Counters()
		require.Equal(t, sluice.DropBecause(test.want), s.Port(0).Enqueue(0, &test.packet))
		before.Dropped[test.want]++
		require.Equal(t, before, s.Counters())
		require.Zero(t, test.packet.Note)
	}
	p := sluice.Packet{Size: 2000}
	require.Equal(t, sluice.Append, s.Port(0).Enqueue(0, &p).Action())
}

// A Dequeue of a queue, packet or size that is not held is misuse, and changes nothing.
func TestMisuse(t *testing.T) {
	st := tell(t, 2, Config{Queues: 1, VFIDs: 4})
	for flow := range uint64(3) {
		for range 14 {
			st.in(1, flow, 0, 0)
		}
	}
	st.frames()
	empty := slices.IndexFunc(st.s.Port(1).entries, func(e entry) bool { return e.size == 0 })
	counted := st.fifos[1][0][40]
	require.NotZero(t, counted.Note&noteCounted)
	for name, change := range map[string]func(*sluice.Packet) sluice.QueueID{
		"no such queue": func(*sluice.Packet) sluice.QueueID { return 1 },
		"no note":       func(p *sluice.Packet) sluice.QueueID { p.Note = 0; return 0 },
		"another queue's note": func(p *sluice.Packet) sluice.QueueID {
			p.Note += 1 << noteQueueShift
			return 0
		},
		"no such queue, which its note names": func(p *sluice.Packet) sluice.QueueID {
			q := sluice.QueueID(st.s.Queues())
			p.Note = makeNote(0, q)
			return q
		},
		"no such entry": func(p *sluice.Packet) sluice.QueueID {
			p.Note = makeNote(4, 0)
			return 0
		},
		"an empty entry": func(p *sluice.Packet) sluice.QueueID {
			p.Note = makeNote(empty, 0)
			return 0
		},
		"size 0": func(p *sluice.Packet) sluice.QueueID { p.Size = 0; return 0 },
		"more than the queue has": func(p *sluice.Packet) sluice.QueueID {
			p.Size = 42*1000 - 40
			return 0
		},
		"no such ingress": func(p *sluice.Packet) sluice.QueueID { p.Ingress = 2; return 0 },
		"local": func(p *sluice.Packet) sluice.QueueID {
			p.Ingress = sluice.Local
			return 0
		},
		"no such upstream queue": func(p *sluice.Packet) sluice.QueueID { p.UpstreamQueue = 1; return 0 },
		"an ingress not counted": func(p *sluice.Packet) sluice.QueueID { p.Ingress = 1; return 0 },
	} {
		p := counted
		q := change(&p)
		before := st.s.Counters()
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), st.s.Port(1).Dequeue(0, q, &p), name)
		before.Misuse++
		before.Dropped[sluice.BadQueue]++
		require.Equal(t, before, st.s.Counters(), name)
		require.NoError(t, st.s.Audit(), name)
	}
	for st.s.Buffered() > 0 {
		st.out(1)
	}
	st.frames()
	require.NoError(t, st.s.Quiescent())
}

// Time that goes back is the latest seen.
func TestTimeGoesBack(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4, Assignment: LowestFree, Ideal: true})
	st.now = 100 * sluice.Microsecond
	st.in(0, 1, sluice.Local, 0)
	st.in(0, 2, sluice.Local, 0)
	st.outOf(0, 0)
	st.now = 0
	st.outOf(0, 1)
	st.now = 104 * sluice.Microsecond
	require.Equal(t, sluice.QueueID(1), st.in(0, 2, sluice.Local, 0), "it left at 100us, not at 0")
}

// Audit finds a fault, and names the invariant.
func TestAuditFinds(t *testing.T) {
	for name, test := range map[string]struct {
		want  string
		spoil func(*Switch)
	}{
		"bytes":   {"invariant 1", func(s *Switch) { s.room-- }},
		"packets": {"invariant 1", func(s *Switch) { s.ports[1].enqueued-- }},
		"queue":   {"invariant 1", func(s *Switch) { s.ports[1].queues[3].packets = -1 }},
		"entry":   {"invariant 3", func(s *Switch) { s.ports[1].entries[0].size++ }},
		"counter": {"invariant 5", func(s *Switch) { s.ports[0].upstream.counters[5]++ }},
		"told": {
			"invariant 6", func(s *Switch) { s.listed = false; s.ports[0].upstream.differs.Add(1) },
		},
		"eligible": {"invariant 7", func(s *Switch) { s.ports[1].ring.SetEligible(2, true) }},
		"active":   {"invariant 7", func(s *Switch) { s.ports[1].active++ }},
		"free":     {"invariant 8", func(s *Switch) { s.ports[0].free.Remove(2) }},
		"stack":    {"invariant 8", func(s *Switch) { s.ports[0].freed.pop() }},
		"twice":    {"invariant 8", func(s *Switch) { s.ports[0].freed.queues[1] = 7 }},
	} {
		st := tell(t, 2, Config{Queues: 8, Signalling: Transitions, Assignment: LastFreed,
			AssignPaused: true})
		st.in(1, 1, 0, 0)
		test.spoil(st.s)
		require.ErrorContains(t, st.s.Audit(), test.want, name)
	}
}

// Every choice has a name, by which errors and package capi speak of it.
func TestChoicesHaveNames(t *testing.T) {
	for want, choice := range map[string]fmt.Stringer{
		"random scan": RandomScan, "last freed": LastFreed, "Assignment(4)": numAssignments,
		"spread hash": SpreadHash, "low bits": LowBits, "Index(2)": numIndexes,
		"random queue": RandomQueue, "hash queue": HashQueue, "Overflow(2)": numOverflows,
		"transitions and bitmap": TransitionsAndBitmap, "bitmap resume at once": BitmapResumeAtOnce,
		"Signalling(4)": numSignallings, "deficit round robin": DeficitRoundRobin,
		"lowest first": LowestFirst, "Scheduler(3)": numSchedulers,
	} {
		require.Equal(t, want, choice.String())
	}
}
