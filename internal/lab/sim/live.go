package sim

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Live is a simulator whose flows, called messages here, start when its owner says. It pauses at
// each event that its owner waits for, so that what the owner starts then begins at that instant.
// It is one part. The table of flows has a row for each message under way: a row is used again once
// no packet of its message is left.
type Live struct {
	*Simulator
	begun    int64             // messages
	numbers  []int64           // of messages, by row
	tags     []uint64          // likewise
	rows     []int32           // that are free
	starting []int32           // rows, in the order of Send: they start now
	started  int               // of starting
	open     int               // rows in use
	notices  []Notice          // that Advance has not returned
	next     int               // of notices
	idle     bool              // Advance ends when nothing is left
	before   map[uint64]uint32 // messages from one host to another
}

// Notice says what happened to a message.
type Notice struct {
	Number   int64 // of the message: messages are counted from 0
	Tag      uint64
	Src, Dst sluice.SwitchID
	Bytes    sluice.Bytes
	Start    sluice.Time
	// Acknowledged says that the last acknowledgement has come to the sender; otherwise all bytes
	// have come to the receiver.
	Acknowledged bool
}

// NewLive builds the network. The configuration has no flows, no jobs, no links that fail, no
// samples and no end, and one thread does the work.
func NewLive(config Config) (*Live, error) {
	config.Flows, config.Jobs, config.Failures, config.Until = nil, nil, nil, 0
	config.Threads, config.Parts, config.SampleEvery = 0, 0, 0
	s, err := New(config)
	if err != nil {
		return nil, err
	}
	l := &Live{Simulator: s, before: make(map[uint64]uint32)}
	s.live = l
	s.begin(sluice.Never)
	return l, nil
}

// Now returns the present.
func (l *Live) Now() sluice.Time { return l.parts[0].now }

// Send starts a message at the present. It returns the message's number, or what is wrong with the
// flow, of which Start and the source port do not count: flows of two hosts have consecutive source
// ports, as workload.AssignPorts gives them.
func (l *Live) Send(f workload.Flow, tag uint64) (number int64, err error) {
	p := l.parts[0]
	f.Start, f.Rate = p.now, 0
	row := l.row()
	l.config.Flows[row] = f
	if err := l.config.validateFlow(int(row)); err != nil {
		l.rows = append(l.rows, row)
		var wrong *sluice.ConfigError
		if errors.As(err, &wrong) {
			wrong.Field = wrong.Field[len(fmt.Sprintf("Flows[%d].", row)):]
		}
		return 0, err
	}
	l.config.Flows[row].SrcPort = l.port(&f)
	l.known[row] = ends{node: [2]int32{int32(f.Src), int32(f.Dst)}, slot: [2]int32{none, none}}
	l.result.Flows[row] = FlowResult{
		Flow: l.config.Flows[row], FCT: sluice.Never, Acknowledged: sluice.Never,
	}
	l.numbers[row], l.tags[row] = l.begun, tag
	l.begun++
	l.open++
	p.flowsFrom++
	l.starting = append(l.starting, row)
	p.agenda.plan(p.now, eventFlow, row)
	p.prepare()
	return l.numbers[row], nil
}

// row returns a row that is free.
func (l *Live) row() int32 {
	if last := len(l.rows) - 1; last >= 0 {
		row := l.rows[last]
		l.rows = l.rows[:last]
		return row
	}
	l.config.Flows = append(l.config.Flows, workload.Flow{})
	l.known = append(l.known, ends{})
	l.groups = append(l.groups, workload.Background)
	l.result.Flows = append(l.result.Flows, FlowResult{})
	l.numbers, l.tags = append(l.numbers, 0), append(l.tags, 0)
	return int32(len(l.numbers) - 1)
}

// port returns the source port of the next message between two hosts.
func (l *Live) port(f *workload.Flow) uint16 {
	pair := uint64(f.Src)<<32 | uint64(f.Dst)
	before := l.before[pair]
	l.before[pair] = before + 1
	return workload.SourcePort(before)
}

// startNext handles the start of a message. Several that start at one time start in the order of
// Send, whatever their rows.
func (l *Live) startNext() {
	row := l.starting[l.started]
	if l.started++; l.started == len(l.starting) {
		l.starting, l.started = l.starting[:0], 0
	}
	l.parts[0].start(row)
}

// note has Advance return what happened to a message.
func (l *Live) note(row int32, acknowledged bool) {
	f := &l.config.Flows[row]
	l.notices = append(l.notices, Notice{
		l.numbers[row], l.tags[row], f.Src, f.Dst, f.Bytes, f.Start, acknowledged,
	})
	l.parts[0].pause()
}

// freeRow takes back the row of a message of which nothing is left. Its events that are planned
// come to nothing, as no flow has them noted.
func (l *Live) freeRow(row int32) {
	l.open--
	l.rows = append(l.rows, row)
}

// Open returns how many messages have a packet or an acknowledgement under way, or to come.
func (l *Live) Open() int { return l.open }

// Advance carries out the events up to an instant, it included, and ends earlier with a notice if
// there is one. The present is then the instant of the notice, or the instant that was given. An
// instant of sluice.Never stands for when nothing is left; the present is then the last event's.
func (l *Live) Advance(until sluice.Time) (Notice, bool, error) {
	if l.next == len(l.notices) {
		l.notices, l.next = l.notices[:0], 0
		if err := l.carryOn(until); err != nil {
			return Notice{}, false, err
		}
	}
	if l.next < len(l.notices) {
		l.next++
		return l.notices[l.next-1], true, nil
	}
	return Notice{}, false, nil
}

// carryOn is Advance until there is a notice.
func (l *Live) carryOn(until sluice.Time) error {
	p := l.parts[0]
	l.idle = until == sluice.Never
	l.until, l.look = until, until
	for len(l.notices) == 0 && l.goOn() {
		p.run(l.check, l.parity)
	}
	switch {
	case l.err != nil || p.err != nil:
		l.err = l.firstError()
		return l.err
	case l.stalled, l.idle && len(l.notices) == 0 && l.open > 0:
		return l.stall()
	case len(l.notices) == 0 && !l.idle:
		p.now = max(p.now, until)
	}
	return nil
}

// stall returns what holds messages for ever.
func (l *Live) stall() error {
	text := fmt.Sprintf("at %v nothing moves any more: %d messages are under way", l.Now(), l.open)
	if circle := l.deadlock(); circle != nil {
		text += ", deadlock: " + hol.Describe(circle)
	}
	if p := l.parts[0]; p.result.Dropped > 0 {
		text += fmt.Sprintf(", %d packets were dropped", p.result.Dropped)
	}
	return errors.New(text)
}

// Totals returns what was counted so far. It has no flows.
func (l *Live) Totals() Result {
	p := l.parts[0]
	total := p.result
	total.Drops = append([]DropRecord(nil), p.result.Drops...)
	total.Transport, total.Control = p.transport.Counters(), p.control.Counters()
	total.ControlFrames = make(map[string]int64)
	for _, k := range p.frameKinds {
		total.ControlFrames[k.kind] += k.count
	}
	return total
}

// numberOf returns the number of a flow, for what is drawn at random for it.
func (s *Simulator) numberOf(index int32) uint64 {
	if s.live != nil {
		return uint64(s.live.numbers[index])
	}
	return uint64(index)
}

// missing returns how many flows have not arrived, or how many messages have anything left: their
// senders wait for acknowledgements.
func (s *Simulator) missing() int {
	if s.live != nil {
		return s.live.open
	}
	return s.allFlows() - s.completed()
}

// pause ends the window after the event at hand.
func (s *part) pause() { s.end = -1 }
