package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// jobs is what carries out schedules. The ranks of a host belong to the host's part: messages that
// leave and arrive there, and their own computations, are all that they hear of.
type jobs struct {
	ranks []*schedule.Ranks // by job
	// numbers of the first operation and the first rank of each job, counted over all; one more at
	// the end
	firstOperation, firstRank []int32
	waited                    []wait // once the run is over
}

// listed returns how many flows start when the list says.
func (c *Config) listed() int {
	if len(c.Jobs) == 0 {
		return len(c.Flows)
	}
	return c.Jobs[0].First
}

func (c *Config) validateJobs() error {
	if len(c.Jobs) == 0 {
		return nil
	}
	fail := func(i int, field string, value any, rule string) error {
		return &sluice.ConfigError{
			Package: "sim", Type: "Config", Field: fmt.Sprintf("Jobs[%d].%s", i, field), Value: value,
			Rule: rule,
		}
	}
	next, operations := c.listed(), 0
	windowed := false
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if err := j.Check(c.Topology); err != nil {
			return err
		}
		if windowed = windowed || j.Schedule.InWindow(); windowed && !j.Schedule.InWindow() {
			return fail(i, "Schedule", j.Name, "must be read in a window, as a job before is")
		}
		if j.First != next {
			return fail(i, "First", j.First, "must be where the messages of the job before end")
		}
		next += j.Messages()
		if operations += j.Schedule.Operations(); operations > maxPlaces {
			return fail(i, "Schedule", operations, "must have at most 268,435,456 operations, with others")
		}
	}
	switch last := len(c.Jobs) - 1; {
	case next > maxPlaces:
		return fail(last, "Schedule", next, "must have at most 268,435,456 messages, with others")
	case windowed && c.Watcher != nil:
		return fail(last, "Schedule", c.Jobs[last].Name, "must be in memory where a Watcher is")
	case !windowed && next != len(c.Flows):
		return fail(last, "First", c.Jobs[last].First, "must leave room for just the job's messages")
	}
	return nil
}

// planJobs plans when ranks begin.
func (s *Simulator) planJobs() {
	s.firstOperation, s.firstRank = []int32{0}, []int32{0}
	for i := range s.config.Jobs {
		j := &s.config.Jobs[i]
		s.ranks = append(s.ranks, schedule.NewRanks(j))
		first := s.firstRank[i]
		s.firstOperation = append(s.firstOperation, s.firstOperation[i]+int32(j.Schedule.Operations()))
		s.firstRank = append(s.firstRank, first+int32(j.Schedule.Ranks))
		for rank, host := range j.Hosts {
			p := s.at(host)
			p.toBegin++
			p.agenda.plan(j.Start, eventBegin, first+int32(rank))
		}
		s.first = min(s.first, j.Start)
	}
}

// jobOf returns the job of an operation or rank that is counted over all jobs: the last whose first
// is not behind it.
func jobOf(first []int32, number int32) int {
	job := 0
	for first[job+1] <= number {
		job++
	}
	return job
}

// jobOfFlow returns the job that a message is of.
func (s *Simulator) jobOfFlow(flow int32) int {
	job := len(s.config.Jobs) - 1
	for int(flow) < s.config.Jobs[job].First {
		job--
	}
	return job
}

// beginRank handles the start of a rank.
func (s *part) beginRank(rank int32) {
	s.toBegin--
	job := jobOf(s.firstRank, rank)
	s.ranks[job].Begin(&s.effects, s.now, rank-s.firstRank[job])
	s.goAhead(job)
}

// computed handles the end of a computation.
func (s *part) computed(operation int32) {
	job := jobOf(s.firstOperation, operation)
	s.ranks[job].Computed(&s.effects, s.now, operation-s.firstOperation[job])
	s.goAhead(job)
}

// planInjected plans the end of a send, when the last packet of its message goes on the wire for
// the first time.
func (s *part) planInjected(p *port, slot int32) {
	if f := &s.flows[slot]; !f.injected {
		f.injected = true
		s.agenda.plan(p.busyUntil, eventInjected, f.index)
	}
}

// injected handles that the last bit of a message has left its host.
func (s *part) injected(flow int32) {
	job := s.jobOfFlow(flow)
	s.ranks[job].Injected(&s.effects, s.now, &s.row(flow).message)
	s.goAhead(job)
}

// messageArrived handles that all of a message has arrived.
func (s *part) messageArrived(flow int32) {
	job := s.jobOfFlow(flow)
	r := s.row(flow)
	s.ranks[job].Arrived(&s.effects, s.now, r.Start, &r.message)
	s.goAhead(job)
}

// goAhead does what ranks of a job want.
func (s *part) goAhead(job int) {
	e := &s.effects
	if e.Err != nil && s.err == nil {
		s.stop(e.Err)
	}
	if s.config.Watcher != nil {
		s.tellBegun(job)
	}
	for i := range e.Messages {
		s.flowsFrom++
		s.openMessage(job, &e.Messages[i])
		s.agenda.plan(s.now, eventFlow, e.Messages[i].Flow)
	}
	for _, c := range e.Computations {
		s.agenda.plan(c.End, eventComputed, s.firstOperation[job]+c.Operation)
	}
	e.Messages, e.Computations = e.Messages[:0], e.Computations[:0]
}

// openMessage makes the row of a message that starts now.
func (s *part) openMessage(job int, m *schedule.Message) {
	r := s.open(m.Flow)
	r.message = *m
	if j := &s.config.Jobs[job]; j.Schedule.InWindow() {
		flow := j.Flow(m)
		if flow.Group == workload.GroupAuto {
			flow.Group = s.groupTo[flow.Dst]
		}
		r.FlowResult = FlowResult{Flow: flow, FCT: sluice.Never, Acknowledged: sluice.Never}
	} else {
		r.FlowResult = s.whole.Flows[m.Flow]
	}
	r.ends = ends{node: [2]int32{int32(r.Src), int32(r.Dst)}, slot: [2]int32{none, none}}
}

// startMessage starts the flow of a message.
func (s *part) startMessage(index int32) {
	s.row(index).Start = s.now
	s.start(index)
}

// meet makes the state of a message that began in another part, at the first packet of it that
// comes here. It is as though it had been made when the message started, since nothing asks for it
// before.
func (s *part) meet(index int32) int32 {
	r := s.row(index)
	s.openFlow(index, r.Start, false, true)
	return r.slot[receiving]
}

// computing returns how many computations are under way, and ranks have not begun.
func (s *Simulator) computing() int {
	return int(s.sum(func(p *part) int64 { return int64(p.effects.Computing + p.toBegin) }))
}

// jobsDone reports whether all ranks have done all.
func (s *Simulator) jobsDone() bool {
	ranks := s.firstRank[len(s.firstRank)-1]
	return s.sum(func(p *part) int64 { return int64(p.effects.Finished) }) == int64(ranks)
}

// stuck reports whether ranks wait for messages that no rank will send: nothing is under way, and
// nothing of the list is to come.
func (s *Simulator) stuck() bool {
	begun := s.sum(func(p *part) int64 { return int64(p.flowsFrom) })
	return !s.jobsDone() && s.computing() == 0 && int64(s.completed()) == begun
}

// finishJobs completes what is known of jobs.
func (s *Simulator) finishJobs() {
	if len(s.config.Jobs) == 0 {
		return
	}
	s.keepAll()
	if s.watchesStays() {
		s.holdRanks()
	}
	for i := s.firstMessage; int(i) < len(s.config.Flows); i++ {
		if f := &s.result.Flows[i]; f.Ideal == 0 { // it did not start
			f.Ideal = s.at(f.Src).ideal(&s.config.Flows[i], i)
		}
	}
	s.finishMessages()
	if s.err == nil && s.stuck() {
		s.result.Stalled = true
	}
	for i, ranks := range s.ranks {
		j := &s.config.Jobs[i]
		one := JobResult{Name: j.Name, Start: j.Start, Windowed: j.Schedule.InWindow()}
		for k := range max(j.Repeat, 1) {
			one.Ends = append(one.Ends, slices.Max(ranks.Ends(k)))
			one.RankEnds = ranks.Ends(k)
		}
		one.Spent, one.SpentByLast, _ = ranks.Total()
		one.Causes, one.Timeline = ranks.Causes(), ranks.Timeline()
		var err error
		one.Critical, err = ranks.Critical(s.sentAt)
		if err != nil && s.err == nil {
			s.err = err
		}
		for k := range one.Critical {
			s.addWaits(&one.Critical[k])
		}
		s.result.Jobs = append(s.result.Jobs, one)
		if text := ranks.Stuck(); text != "" {
			s.result.Note("%s", text)
		}
	}
}

// holdRanks says to ranks which of their messages were held. Messages that were not sent have no
// Ideal yet.
func (s *Simulator) holdRanks() {
	now, flows := s.Now(), s.result.Flows
	s.finishStays()
	s.waited = s.allWaits()
	for job, ranks := range s.ranks {
		if s.config.Jobs[job].Schedule.InWindow() {
			continue
		}
		first := s.config.Jobs[job].First
		ranks.Stop(now, func(visit func(flow int, sent sluice.Time)) {
			for i := range s.config.Jobs[job].Messages() {
				if f := &flows[first+i]; f.Ideal > 0 && f.FCT == sluice.Never {
					visit(first+i, f.Start)
				}
			}
		})
	}
	for i := range s.waited {
		if w := &s.waited[i]; len(w.holds) > 0 {
			f := &flows[w.flow]
			arrived := sluice.Never
			if f.FCT < sluice.Never {
				arrived = f.Start + f.FCT
			}
			s.ranks[s.jobOfFlow(w.flow)].Hold(int(w.flow), f.Start, arrived, now, w.holds)
		}
	}
}

// sentAt returns when a message was sent.
func (s *Simulator) sentAt(flow int) sluice.Time {
	if flow < len(s.result.Flows) {
		return s.result.Flows[flow].Start
	}
	f, err := s.file.at(flow)
	if err != nil && s.err == nil {
		s.err = err
	}
	return f.Start
}

// finishMessages completes what is known of messages that the configuration does not list: those
// that were not sent are read again.
func (s *Simulator) finishMessages() {
	if s.result.Messages = s.file; s.file == nil || s.jobsDone() || s.err != nil {
		return
	}
	for i, ranks := range s.ranks {
		j := &s.config.Jobs[i]
		if !j.Schedule.InWindow() {
			continue
		}
		var failed error
		err := ranks.Unread(func(flow int32) bool {
			f, err := s.file.at(int(flow))
			failed = cmp.Or(failed, err)
			return f.Bytes == 0
		}, func(m *schedule.Message) {
			failed = cmp.Or(failed, s.finishMessage(j, m))
		})
		if s.err = cmp.Or(err, failed); s.err != nil {
			return
		}
	}
}

// addWaits adds to a step where packets of its message waited.
func (s *Simulator) addWaits(step *schedule.Step) {
	if step.Flow < 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(s.waited, int32(step.Flow), func(w wait, flow int32) int {
		return cmp.Compare(w.flow, flow)
	})
	for ; i < len(s.waited) && int(s.waited[i].flow) == step.Flow; i++ {
		step.Waits = append(step.Waits, s.describe(&s.waited[i]))
	}
}

// finishMessage notes a message that was not sent.
func (s *Simulator) finishMessage(j *schedule.Job, m *schedule.Message) error {
	f := FlowResult{Flow: j.Flow(m), FCT: sluice.Never, Acknowledged: sluice.Never}
	if f.Group == workload.GroupAuto {
		f.Group = s.groupTo[f.Dst]
	}
	r := s.open(m.Flow) // its page has been kept
	r.FlowResult = f
	f.Ideal = s.at(f.Src).ideal(&f.Flow, m.Flow)
	s.pages[uint32(m.Flow-s.firstMessage)>>pageBits].Store(nil)
	return s.file.write(int(m.Flow), appendRecord(nil, &f))
}
