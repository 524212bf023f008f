package sim

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// rows is what there is of messages of jobs that are under way, by their index, in pages. The part
// where a message is sent makes its page, other parts hear of it in a later window, and pages of
// which all messages are over go between windows. So memory is proportional to what is under way,
// and indexes are the same however operations are read.
type rows struct {
	firstMessage int32 // flows from there on are messages
	behind       int32 // the last one
	pages        []atomic.Pointer[page]
	file         *MessageFile // of messages that the configuration does not list; nil for none
}

// row is a message.
type row struct {
	message schedule.Message
	FlowResult
	ends
}

const pageBits = 8

type page struct {
	first int32
	over  atomic.Int32 // messages of which nothing is left
	rows  [1 << pageBits]row
}

// isMessage reports whether a flow is a message of a job.
func (s *rows) isMessage(flow int32) bool { return flow >= s.firstMessage }

// planMessages prepares rows, and the groups of flows.
func (s *Simulator) planMessages() error {
	c := &s.config
	s.firstMessage, s.behind = math.MaxInt32, 0
	traffic := c.Flows
	if last := len(c.Jobs) - 1; last >= 0 {
		s.firstMessage = int32(c.listed())
		s.behind = int32(c.Jobs[last].First + c.Jobs[last].Messages())
		s.pages = make([]atomic.Pointer[page], (s.behind-s.firstMessage+1<<pageBits-1)>>pageBits)
		traffic = Traffic(c.Flows, c.Jobs)
	}
	groups := Groups(c.Topology, traffic)
	s.groups = groups[:len(c.Flows)]
	for i := len(c.Flows); i < len(traffic); i++ {
		if s.groupTo == nil {
			s.groupTo = make([]workload.Group, len(c.Topology.Nodes))
		}
		s.total += traffic[i].Bytes
		s.groupTo[traffic[i].Dst] = groups[i]
	}
	if int(s.behind) > len(c.Flows) {
		file, err := newMessageFile(len(c.Flows), int(s.behind)-len(c.Flows))
		s.file = file
		return err
	}
	return nil
}

// Traffic returns flows, and behind them what goes from host to host in jobs whose messages are no
// flows of the list, as their schedules are read in a window: one flow for each two hosts of a job.
func Traffic(flows []workload.Flow, jobs []schedule.Job) []workload.Flow {
	flows = slices.Clip(flows)
	for i := range jobs {
		if jobs[i].Schedule.InWindow() {
			flows = append(flows, jobs[i].Traffic()...)
		}
	}
	return flows
}

// allFlows returns how many flows and messages there are.
func (s *Simulator) allFlows() int { return max(len(s.config.Flows), int(s.behind)) }

// row returns what there is of a message; nil if it is not under way, and neither are others of its
// page.
func (s *rows) row(flow int32) *row {
	i := uint32(flow - s.firstMessage)
	if int(i>>pageBits) >= len(s.pages) {
		return nil
	}
	if p := s.pages[i>>pageBits].Load(); p != nil {
		return &p.rows[i&(1<<pageBits-1)]
	}
	return nil
}

// open makes the row of a message.
func (s *rows) open(flow int32) *row {
	i := uint32(flow - s.firstMessage)
	at := &s.pages[i>>pageBits]
	if at.Load() == nil {
		at.CompareAndSwap(nil, &page{first: s.firstMessage + int32(i>>pageBits)<<pageBits})
	}
	return s.row(flow)
}

// over notes that nothing is left of a message, and reports whether nothing is of its page.
func (s *rows) over(flow int32) bool {
	p := s.pages[uint32(flow-s.firstMessage)>>pageBits].Load()
	return p.over.Add(1) == min(1<<pageBits, s.behind-p.first)
}

// endsAt returns where a flow begins and ends; nil of a message that is not under way.
func (s *Simulator) endsAt(index int32) *ends {
	if !s.isMessage(index) {
		return &s.known[index]
	}
	if r := s.row(index); r != nil {
		return &r.ends
	}
	return nil
}

// flowOf returns a flow that is of the list, or under way.
func (s *Simulator) flowOf(index int32) *workload.Flow {
	if int(index) < len(s.config.Flows) {
		return &s.config.Flows[index]
	}
	return &s.row(index).Flow
}

// resultOf returns what is known so far of a flow that is of the list, or under way.
func (s *Simulator) resultOf(index int32) *FlowResult {
	if s.isMessage(index) {
		if r := s.row(index); r != nil && r.opened() {
			return &r.FlowResult
		}
	}
	return &s.result.Flows[index]
}

// opened reports whether the message has been sent.
func (r *row) opened() bool { return r.Bytes > 0 }

// groupOf returns the group of a flow that is of the list, or under way.
func (s *Simulator) groupOf(index int32) workload.Group {
	if int(index) < len(s.groups) {
		return s.groups[index]
	}
	return s.row(index).Group
}

// retire keeps the results of pages of which nothing is left, and frees them.
func (s *Simulator) retire() {
	for _, p := range s.parts {
		for _, number := range p.pagesOver {
			s.keep(number)
		}
		p.pagesOver = p.pagesOver[:0]
	}
}

// keep keeps the results of a page, and frees it.
func (s *Simulator) keep(number int32) {
	p := s.pages[number].Load()
	for i := range p.rows {
		index := int(p.first) + i
		if r := &p.rows[i]; r.opened() && index < len(s.result.Flows) {
			s.result.Flows[index] = r.FlowResult
		}
	}
	if s.file != nil {
		if err := s.file.keep(p); err != nil && s.err == nil {
			s.parts[0].stop(err)
		}
	}
	s.pages[number].Store(nil)
}

// keepAll keeps the results of all pages.
func (s *Simulator) keepAll() {
	for number := range s.pages {
		if s.pages[number].Load() != nil {
			s.keep(int32(number))
		}
	}
}

// RowPages returns how many pages of messages there are.
func (s *Simulator) RowPages() (n int) {
	for i := range s.pages {
		if s.pages[i].Load() != nil {
			n++
		}
	}
	return n
}
