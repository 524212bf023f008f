package ofc

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
)

// The suite of this file looks at one egress port, class 0, and few flows, beside a model that
// keeps a list of packets for each flow and knows no queues. It has teeth: see
// TestMutantsOfTheEgress.

// action is what may happen to the port: a letter and flows as bits.
type action struct {
	kind  byte // e: enqueue, t: transmit, p: PAUSE, r: RESUME, P, R: of the whole class
	flows uint8
}

// actionsOf returns all actions on a number of flows.
func actionsOf(flows int) []action {
	all := []action{{kind: 't'}, {kind: 'P'}, {kind: 'R'}}
	for i := range flows {
		all = append(all, action{'e', 1 << i})
	}
	for set := uint8(1); set < 1<<flows; set++ {
		all = append(all, action{'p', set}, action{'r', set})
	}
	return all
}

func (a action) String() string { return fmt.Sprintf("%c%b", a.kind, a.flows) }

const mostFlows = 4

// lane is the port, the embedder's queues, and the model.
type lane struct {
	s        *Switch
	p        *Port
	mutant   *egressMutant
	fifo     [QueuesPerClass][]sluice.Packet // Packet.UpstreamQueue numbers a flow's packets
	sequence uint32

	lists  [mostFlows][]sluice.QueueID // the model: the packets of each flow that wait, by number
	number [mostFlows]sluice.QueueID
	paused uint8
	all    bool
}

// egressMutant changes what a port does: before a frame, which it may take for its own, and after
// every hook.
type egressMutant struct {
	frame func(p *Port, f *Frame) bool
	after func(p *Port)
}

func newLane(t require.TestingT, config Config, m *egressMutant) *lane {
	s := mustNew(t, config)
	return &lane{s: s, p: s.Port(0), mutant: m}
}

// act does an action and compares.
func (l *lane) act(a action) error {
	switch a.kind {
	case 'e':
		l.enqueue(a.flows)
	case 't':
		if _, err := l.transmit(); err != nil {
			return err
		}
	default:
		l.tell(a)
	}
	l.mutate()
	if l.mutant == nil {
		return l.s.Audit()
	}
	return nil
}

func (l *lane) mutate() {
	if l.mutant != nil && l.mutant.after != nil {
		l.mutant.after(l.p)
	}
}

func (l *lane) enqueue(flow uint8) {
	for i := range l.lists {
		if flow == 1<<i {
			p := sluice.Packet{Flow: uint64(i), Size: 100, Ingress: sluice.Local, UpstreamQueue: l.number[i]}
			l.lists[i] = append(l.lists[i], l.number[i])
			l.number[i]++
			l.p.Enqueue(0, &p)
			l.fifo[normal] = append(l.fifo[normal], p)
		}
	}
}

func (l *lane) tell(a action) {
	l.sequence++
	f := Frame{Type: Pause, Sequence: l.sequence}
	switch a.kind {
	case 'P', 'R':
		f.All, l.all = true, a.kind == 'P'
	case 'p':
		l.paused |= a.flows
	case 'r':
		l.paused &^= a.flows
	}
	if a.kind == 'r' || a.kind == 'R' {
		f.Type = Resume
	}
	for i := range mostFlows {
		if a.flows>>i&1 != 0 {
			f.add(uint64(i))
		}
	}
	f.Last = f.Type == Resume && !f.All && l.paused == 0
	if l.mutant == nil || l.mutant.frame == nil || !l.mutant.frame(l.p, &f) {
		l.p.Receive(0, &f)
	}
}

// transmit sends what may go next, moves included. It reports whether there was anything, and what
// is wrong: a packet of a paused flow, one out of order, or none although the model has one and the
// class is not held because a flow has no room.
func (l *lane) transmit() (bool, error) {
	for range 1000 {
		q, ok := l.p.Next(0)
		if !ok {
			for i, list := range l.lists {
				if len(list) > 0 && !l.all && l.paused>>i&1 == 0 && !l.p.classes[0].spilled {
					return false, fmt.Errorf("flow %d is not paused, and nothing may go", i)
				}
			}
			return false, nil
		}
		if len(l.fifo[q]) == 0 {
			return false, fmt.Errorf("queue %d is to be served, and it is empty", q)
		}
		p := l.fifo[q][0]
		l.fifo[q] = l.fifo[q][1:]
		v := l.p.Dequeue(0, q, &p)
		l.mutate()
		if v.Action() == sluice.Append {
			l.fifo[v.Queue()] = append(l.fifo[v.Queue()], p)
			continue
		}
		list := &l.lists[p.Flow]
		switch {
		case v.Action() != sluice.Transmit:
			return false, fmt.Errorf("queue %d: %v", q, v)
		case l.all || l.paused>>p.Flow&1 != 0:
			return false, fmt.Errorf("flow %d is paused, and a packet went", p.Flow)
		case p.UpstreamQueue != (*list)[0]:
			return false, fmt.Errorf(
				"flow %d: packet %d went before %d", p.Flow, p.UpstreamQueue, (*list)[0],
			)
		}
		*list = (*list)[1:]
		return true, nil
	}
	return false, errors.New("packets move for ever")
}

// drain sends all that may go. What stays are the packets of paused flows.
func (l *lane) drain() error {
	for {
		if sent, err := l.transmit(); err != nil || !sent {
			return err
		}
	}
}

// finish drains, resumes all, and drains again: "nothing is orphaned".
func (l *lane) finish() error {
	if err := l.drain(); err != nil {
		return err
	}
	l.tell(action{kind: 'R'})
	l.tell(action{'r', 1<<mostFlows - 1})
	l.mutate()
	if err := l.drain(); err != nil {
		return err
	}
	for i, list := range l.lists {
		if len(list) > 0 {
			return fmt.Errorf("flow %d is resumed, and %d packets stay", i, len(list))
		}
	}
	return nil
}

// state is what decides over everything to come: two sequences of actions that lead to one state
// are one.
func (l *lane) state() string {
	k := &l.p.classes[0]
	text := fmt.Sprint(k.serving, k.paused, k.all, k.spilled, l.paused, l.all)
	for flow := range uint64(mostFlows) {
		if i := l.p.find(flow, 0); i != 0 {
			text += fmt.Sprint(";", flow, l.s.entries[i].flags)
		}
	}
	for q := range l.fifo {
		text += "|"
		for _, p := range l.fifo[q] {
			text += fmt.Sprint(p.Flow, ".", l.number[p.Flow]-p.UpstreamQueue, " ")
		}
	}
	return text
}

// laneConfig has room for few flows, so that a table is small.
func laneConfig(flows int) Config {
	c := HostConfig(link40)
	c.Flows = flows
	return c
}

// everySequence takes a port through every sequence of actions up to a length, merges sequences
// that lead to one state, and returns the first that goes wrong, and how many it looked at.
func everySequence(
	t require.TestingT, config Config, flows, length int, m *egressMutant,
) (string, int) {
	actions := actionsOf(flows)
	seen := map[string]bool{}
	level := [][]action{nil}
	checks := 0
	for depth := 0; depth < length; depth++ {
		var next [][]action
		for _, before := range level {
			for _, a := range actions {
				sequence := append(slices.Clip(before), a)
				checks++
				l := newLane(t, config, m)
				for _, a := range sequence {
					if err := l.act(a); err != nil {
						return fmt.Sprint(sequence, ": ", err), checks
					}
				}
				if state := l.state(); !seen[state] {
					seen[state] = true
					next = append(next, sequence)
					if err := l.finish(); err != nil {
						return fmt.Sprint(sequence, ", to the end: ", err), checks
					}
				}
			}
		}
		level = next
	}
	return "", checks
}

// In all four states of a rotation paused packets block no others, and no packet overtakes an
// earlier one of its flow (section III-B): every sequence of {enqueue A, enqueue B, transmit, PAUSE
// and RESUME of {A}, {B}, {A, B} and of the class}.
func TestOrderInEverySequence(t *testing.T) {
	length := depth.Choose(6, 7, 8)
	for name, config := range map[string]Config{
		"": laneConfig(4), "no room for a flow": laneConfig(1),
	} {
		fault, checks := everySequence(t, config, 2, length, nil)
		require.Empty(t, fault, name)
		t.Logf("%s %d sequences up to length %d", name, checks, length)
	}
}

// Long random sequences of four flows.
func TestOrderInLongSequences(t *testing.T) {
	sequences := depth.Choose(200, 500, 1500, 3000)
	for seed := range sequences {
		config := laneConfig([]int{8, 2}[seed%2])
		if _, fault := randomSequence(t, config, uint64(seed), 300, nil); fault != nil {
			t.Fatalf("seed %d: %v", seed, fault)
		}
	}
}

// randomSequence takes a port through random actions, with bursts, and returns what goes wrong and
// how many there were.
func randomSequence(
	t require.TestingT, c Config, seed uint64, length int, m *egressMutant,
) (int, error) {
	random := prng.New(seed)
	actions := actionsOf(mostFlows)
	l := newLane(t, c, m)
	for i := range length {
		a := actions[random.Below(uint64(len(actions)))]
		switch random.Below(4) {
		case 0:
			a = action{'e', 1 << random.Below(mostFlows)}
		case 1:
			a = action{kind: 't'}
		}
		if err := l.act(a); err != nil {
			return i, err
		}
	}
	return length, l.finish()
}

// TestMutantsOfTheEgress: the search finds the letter of the paper, and each misreading of it,
// after a known number of sequences.
func TestMutantsOfTheEgress(t *testing.T) {
	for name, m := range map[string]*egressMutant{
		"RESUME takes effect in a rotation": {frame: resumeAtOnce},
		// To the letter the order mark's dequeue turns both roles back: the egress queue from 1 to
		// 0, the paused queue from 2 to 1 (section III-B).
		"roles rotate back": {after: func(p *Port) {
			if k := &p.classes[0]; k.serving == normal {
				k.paused = 1
			}
		}},
		"no rotation": {frame: func(p *Port, f *Frame) bool {
			k := &p.classes[0]
			paused := k.bytes[k.paused]
			k.bytes[k.paused] = 0 // so that nothing seems to wait
			p.Receive(0, f)
			k.bytes[k.paused] += paused
			return true
		}},
		"PAUSE waits for the end of a rotation": {frame: func(p *Port, f *Frame) bool {
			return f.Type == Pause && !f.All && p.classes[0].serving != normal
		}},
		"the class stays held": {
			frame: func(_ *Port, f *Frame) bool { return f.Type == Resume && f.All },
		},
	} {
		fault, checks := everySequence(t, laneConfig(4), 2, 8, m)
		require.NotEmpty(t, fault, name)
		t.Logf("%s: killed after %d sequences: %s", name, checks, fault)
	}
}

// resumeAtOnce takes flows out of the table whatever the queues are at.
func resumeAtOnce(p *Port, f *Frame) bool {
	k := &p.classes[0]
	if f.Type != Resume || f.All || k.serving == normal {
		return false
	}
	for _, flow := range f.Flows() {
		if i := p.find(flow, 0); i != 0 && p.owner.entries[i].flags&congested != 0 {
			p.setCongested(k, i, &p.owner.entries[i], false)
		}
	}
	return true
}
