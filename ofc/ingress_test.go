package ofc

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/internal/prng"
)

// The suite of this file looks at what a switch tells upstream, beside Algorithm 1 written down
// with lists of packets and sets of flows. It has teeth: see TestMutantsOfTheIngress.

const (
	modelPorts = 4
	modelFlows = 6
)

// algorithm is Algorithm 1 as package ofc reads it.
type algorithm struct {
	packets   []sluice.Packet             // that wait; UpstreamQueue is the egress
	congested [modelPorts]map[uint64]bool // congested_flow_tab
	told      [modelPorts]map[uint64]bool // pause_frame_tab
	all       [modelPorts]bool            // the class is paused
	config    PortConfig
}

func (m *algorithm) sum(match func(*sluice.Packet) bool) (n sluice.Bytes) {
	for i := range m.packets {
		if match(&m.packets[i]) {
			n += m.packets[i].Size
		}
	}
	return n
}

func (m *algorithm) in(port sluice.PortID) sluice.Bytes {
	return m.sum(func(p *sluice.Packet) bool { return p.Ingress == port })
}

func (m *algorithm) out(port sluice.QueueID) sluice.Bytes {
	return m.sum(func(p *sluice.Packet) bool { return p.UpstreamQueue == port })
}

// enqueued is lines 3 to 15.
func (m *algorithm) enqueued(packet sluice.Packet) {
	m.packets = append(m.packets, packet)
	up, out := packet.Ingress, packet.UpstreamQueue
	in := m.in(up)
	switch {
	case in >= m.config.XOff:
		m.all[up] = true // line 10
	case in >= m.config.XOffCongested && m.out(out) >= m.config.XOffCongested: // line 4
		original := len(m.congested[out]) == 0 // line 5
		for _, p := range m.packets {
			if p.Ingress == up && p.UpstreamQueue == out && (original || m.congested[out][p.Flow]) {
				m.told[up][p.Flow] = true
			}
		}
	}
}

// sent is lines 16 to 19.
func (m *algorithm) sent(i int) {
	up := m.packets[i].Ingress
	m.packets = append(m.packets[:i:i], m.packets[i+1:]...)
	if m.in(up) <= m.config.XOn {
		m.told[up], m.all[up] = map[uint64]bool{}, false
	}
}

// ingressMutant changes what a switch does.
type ingressMutant struct {
	config func(*Config)
	made   func(*Switch)
	// around replaces a Dequeue.
	dequeue func(s *Switch, p *Port, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict
	// polled sees a frame before the peer.
	polled func(s *Switch, port sluice.PortID, f *Frame)
}

// upstreams is a switch, the model, and what the devices upstream believe.
type upstreams struct {
	s        *Switch
	model    algorithm
	mutant   ingressMutant
	fifo     [modelPorts][QueuesPerClass][]sluice.Packet
	flows    [modelPorts]map[uint64]bool
	all      [modelPorts]bool
	sequence uint32
}

func newUpstreams(t require.TestingT, m ingressMutant) *upstreams {
	port := PortConfig{Link: link40, XOff: 4000, XOffCongested: 2500, XOn: 1000}
	c := Config{Ports: []PortConfig{port, port, port, port}, MaxFlowsPerFrame: 2}
	if m.config != nil {
		m.config(&c)
	}
	u := &upstreams{s: mustNew(t, c), mutant: m, model: algorithm{config: port}}
	if m.made != nil {
		m.made(u.s)
	}
	for i := range modelPorts {
		u.model.congested[i], u.model.told[i] = map[uint64]bool{}, map[uint64]bool{}
		u.flows[i] = map[uint64]bool{}
	}
	return u
}

func (u *upstreams) enqueue(egress sluice.PortID, packet sluice.Packet) {
	packet.UpstreamQueue = sluice.QueueID(egress)
	u.s.Port(egress).Enqueue(0, &packet)
	u.fifo[egress][normal] = append(u.fifo[egress][normal], packet)
	u.model.enqueued(packet)
}

func (u *upstreams) transmit(egress sluice.PortID) {
	p := u.s.Port(egress)
	for {
		q, ok := p.Next(0)
		if !ok {
			return
		}
		packet := u.fifo[egress][q][0]
		u.fifo[egress][q] = u.fifo[egress][q][1:]
		var v sluice.Verdict
		if u.mutant.dequeue != nil {
			v = u.mutant.dequeue(u.s, p, q, &packet)
		} else {
			v = p.Dequeue(0, q, &packet)
		}
		if v.Action() == sluice.Append {
			u.fifo[egress][v.Queue()] = append(u.fifo[egress][v.Queue()], packet)
			continue
		}
		for i, other := range u.model.packets {
			packet.Note, other.Note = 0, 0
			if packet == other {
				u.model.sent(i)
				return
			}
		}
		panic("a packet that the model does not have")
	}
}

// downstream has the device below an egress pause or resume a flow.
func (u *upstreams) downstream(egress sluice.PortID, flow uint64) {
	u.sequence++
	f := Frame{Type: Pause, Sequence: u.sequence, Count: 1, Keys: [MaxListed]uint64{flow}}
	if table := u.model.congested[egress]; table[flow] {
		f.Type = Resume
		delete(table, flow)
	} else {
		table[flow] = true
	}
	u.s.Port(egress).Receive(0, &f)
}

// poll delivers all frames, and compares what the devices upstream believe with the model.
func (u *upstreams) poll() error {
	var f Frame
	for i := range sluice.PortID(modelPorts) {
		for u.s.Port(i).PollFrame(0, &f) {
			if u.mutant.polled != nil {
				u.mutant.polled(u.s, i, &f)
			}
			if f.All {
				u.all[i] = f.Type == Pause
			}
			for _, flow := range f.Flows() {
				if f.Type == Pause {
					u.flows[i][flow] = true
				} else {
					delete(u.flows[i], flow)
				}
			}
		}
		if u.all[i] != u.model.all[i] || !maps.Equal(u.flows[i], u.model.told[i]) {
			return fmt.Errorf("port %d: upstream believes %v %v, Algorithm 1 says %v %v",
				i, u.all[i], u.flows[i], u.model.all[i], u.model.told[i])
		}
	}
	return nil
}

// run takes random actions, and returns what goes wrong and after how many.
func (u *upstreams) run(seed uint64, length int) (int, error) {
	random := prng.New(seed)
	for i := range length {
		egress := sluice.PortID(random.Below(2))
		action := random.Below(12)
		if i/60%2 == 1 { // now the queues fill, now they drain
			action /= 2
		}
		switch action {
		case 0:
			flow := random.Below(modelFlows)
			// A flow in a rotation leaves the table later: the model of this side has no rotations.
			if u.s.Port(egress).classes[0].serving == normal {
				u.downstream(egress, flow)
			}
		case 1, 2, 3, 4, 5:
			u.transmit(egress)
		default:
			flow := random.Below(modelFlows)
			ingress := sluice.PortID(2 + flow%2)
			size := sluice.Bytes(64 + random.Below(600))
			u.enqueue(egress, sluice.Packet{Flow: flow, Size: size, Ingress: ingress})
		}
		if err := u.poll(); err != nil {
			return i, err
		}
		if u.mutant.made == nil && u.mutant.polled == nil && u.mutant.dequeue == nil {
			if err := u.s.Audit(); err != nil {
				return i, err
			}
		}
	}
	return length, nil
}

// Frames to the device upstream follow Algorithm 1 at every step.
func TestFramesUpstreamAlgorithm1(t *testing.T) {
	seeds := depth.Choose(30, 60, 150, 300)
	var sum Counters
	for seed := range seeds {
		u := newUpstreams(t, ingressMutant{})
		_, err := u.run(uint64(seed), 500)
		require.NoError(t, err, "seed %d", seed)
		c := u.s.Counters()
		fields.Add(&sum, &c)
	}
	require.NotZero(t, sum.Originals)
	require.NotZero(t, sum.Locals)
	require.NotZero(t, sum.Overruns)
	require.NotZero(t, sum.Resumes)
	t.Logf("%d original, %d local, %d over X_OFF, %d resumes", sum.Originals, sum.Locals, sum.Overruns,
		sum.Resumes)
}

// TestMutantsOfTheIngress: the search finds the letter of the paper, and each misreading of it,
// after a known number of steps.
func TestMutantsOfTheIngress(t *testing.T) {
	for name, m := range map[string]ingressMutant{
		// "pause_frame_tab[p_up][pri] = flow_info" (Algorithm 1, line 14).
		"assignment for union": {polled: func(s *Switch, port sluice.PortID, f *Frame) {
			if a := s.account(port, 0); f.Type == Pause && !f.All {
				for int(a.count) > int(f.Count) {
					s.untell(a)
				}
			}
		}},
		"known flows for all": {made: func(s *Switch) {
			for i := range s.accounts {
				s.accounts[i].off = 1 << 40
			}
		}},
		"resume on arrivals only": {dequeue: func(
			s *Switch, p *Port, q sluice.QueueID, packet *sluice.Packet,
		) sluice.Verdict {
			a := s.account(packet.Ingress, 0)
			on := a.on
			a.on = -1
			defer func() { a.on = on }()
			return p.Dequeue(0, q, packet)
		}},
		"a local port names its own flows": {config: func(c *Config) { c.Undistinguished = true }},
		"the list is not restricted to the ingress": {polled: func(
			s *Switch, port sluice.PortID, f *Frame,
		) {
			if f.Type == Pause && !f.All && f.Count == 1 {
				for i := range s.entries {
					if e := &s.entries[i]; e.packets > 0 && e.ingress() != port && f.Count < 2 {
						f.add(e.flow)
					}
				}
			}
		}},
		"paused twice": {polled: func(s *Switch, port sluice.PortID, f *Frame) {
			if a := s.account(port, 0); f.Type == Resume && f.Last {
				a.allTold, f.Count = false, f.Count-1
			}
		}},
	} {
		steps, killed := 0, error(nil)
		for seed := uint64(0); killed == nil && seed < 100; seed++ {
			n, err := newUpstreams(t, m).run(seed, 500)
			steps += n + 1
			killed = err
		}
		require.Error(t, killed, name)
		t.Logf("%s: killed after %d steps: %v", name, steps, killed)
	}
}
