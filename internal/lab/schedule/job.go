package schedule

import (
	"cmp"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Job is a schedule on hosts.
type Job struct {
	Name     string
	Schedule *Schedule
	// Hosts are the hosts of the ranks. Several ranks may be on one: a message between them arrives
	// when it is sent.
	Hosts []sluice.SwitchID
	Start sluice.Time // of every rank
	// Repeat is how often each rank does what the schedule says: 0 and 1 are once. A rank begins again
	// when it has done all, and waits for no other.
	Repeat int
	Class  sluice.Class
	// Groups are what the messages are for, in turn by their tags: a message of tag t is of the group
	// t modulo the number of groups. None: GroupAuto.
	Groups []workload.Group
	// First is the index of the first of the job's messages in the list of flows.
	First int
}

// maxRepeat bounds how often a job repeats its schedule.
const maxRepeat = 1 << 20

// iterations returns how often the schedule is done.
func (j *Job) iterations() int { return max(j.Repeat, 1) }

// Check returns nil if the job can run on a network: every rank has a host of it.
func (j *Job) Check(g *topo.Graph) error {
	fail := func(field string, value any, rule string) error {
		return fmt.Errorf("job %s: %w", j.Name, configError(field, value, rule))
	}
	switch {
	case j.Schedule == nil:
		return fail("Schedule", nil, "must be set")
	case j.Start < 0 || j.Start > workload.MaxStart:
		return fail("Start", j.Start, "must be 0 to 50 days")
	case j.Repeat < 0 || j.Repeat > maxRepeat:
		return fail("Repeat", j.Repeat, fmt.Sprintf("must be 0 to %d", maxRepeat))
	case len(j.Hosts) < j.Schedule.Ranks:
		return fail("Hosts", len(j.Hosts), fmt.Sprintf(
			"must be %d, one for each rank: rank %d has none", j.Schedule.Ranks, len(j.Hosts)))
	case len(j.Hosts) > j.Schedule.Ranks:
		return fail("Hosts", len(j.Hosts), fmt.Sprintf("must be %d, one for each rank",
			j.Schedule.Ranks))
	case j.Class >= sluice.Classes:
		return fail("Class", j.Class, "must be 0 to 7")
	}
	for rank, host := range j.Hosts {
		if int(host) >= len(g.Nodes) || !g.IsHost(host) {
			return fail(fmt.Sprintf("Hosts[%d]", rank), host, "must be a host")
		}
	}
	if n := j.Schedule.Ranks * j.iterations(); n > workload.MaxFlows {
		return fail("Repeat", j.Repeat, fmt.Sprintf(
			"must be at most %d for %d ranks", workload.MaxFlows/j.Schedule.Ranks, j.Schedule.Ranks))
	}
	most := workload.MaxFlows
	if j.Schedule.InWindow() {
		most = MaxOperations
	}
	if n := j.Messages(); n > most {
		return fail("Repeat", j.Repeat, fmt.Sprintf(
			"must be less: the job sends %d messages in all, at most %d are possible", n, most))
	}
	return nil
}

// Messages returns how many messages go between different hosts, in all iterations.
func (j *Job) Messages() int {
	first := j.firstMessages()
	return int(first[len(first)-1]) * j.iterations()
}

// firstMessages returns how many messages of an iteration are of ranks before each; one more at the
// end for all.
func (j *Job) firstMessages() []int32 {
	first := make([]int32, j.Schedule.Ranks+1)
	if s := j.Schedule.spool; s != nil {
		for rank, peers := range s.peers {
			for _, t := range peers {
				if j.Hosts[rank] != j.Hosts[t.to] {
					first[rank+1] += t.messages
				}
			}
		}
	} else {
		j.eachMessage(func(rank, _ int32, _ *Operation) { first[rank+1]++ })
	}
	for rank := range j.Schedule.Ranks {
		first[rank+1] += first[rank]
	}
	return first
}

// eachMessage visits the sends of an iteration that go to other hosts, in the order of the file.
func (j *Job) eachMessage(visit func(rank, operation int32, o *Operation)) {
	s := j.Schedule
	for rank := range int32(s.Ranks) {
		for i := s.first[rank]; i < s.first[rank+1]; i++ {
			o := &s.operations[i]
			if o.Kind == Send && j.Hosts[rank] != j.Hosts[o.Peer] {
				visit(rank, i, o)
			}
		}
	}
}

func (j *Job) group(o *Operation) workload.Group {
	if len(j.Groups) == 0 {
		return workload.GroupAuto
	}
	return j.Groups[o.Tag%uint32(len(j.Groups))]
}

// flowBytes is how many bytes the flow of a message has.
func (o *Operation) flowBytes() sluice.Bytes { return sluice.Bytes(cmp.Or(o.Size, 1)) }

// Flow returns the flow of a message of a schedule that is read in a window. It starts when it is
// sent.
func (j *Job) Flow(m *Message) workload.Flow {
	o := Operation{Size: m.Size, Tag: m.Tag}
	return workload.Flow{
		Src: j.Hosts[m.From], Dst: j.Hosts[m.To], Class: j.Class, SrcPort: m.SrcPort,
		DstPort: dstPort, Bytes: o.flowBytes(), Start: j.Start, Group: j.group(&o),
	}
}

const dstPort = 100

// pair is two hosts.
type pair struct{ from, to sluice.SwitchID }

// Traffic returns what goes from one host to another in all iterations as a flow for each two, of a
// schedule that is read in a window: what is known before it runs.
func (j *Job) Traffic() (flows []workload.Flow) {
	at := map[pair]int{}
	for rank, peers := range j.Schedule.spool.peers {
		for _, t := range peers {
			p := pair{j.Hosts[rank], j.Hosts[t.to]}
			if p.from == p.to {
				continue
			}
			i, known := at[p]
			if !known {
				i = len(flows)
				at[p] = i
				flows = append(flows, workload.Flow{
					Src: p.from, Dst: p.to, Class: j.Class, DstPort: dstPort, Start: j.Start,
					Group: j.group(&Operation{}),
				})
			}
			flows[i].Bytes += t.bytes * sluice.Bytes(j.iterations())
		}
	}
	return flows
}

// assignPorts prepares the source ports of messages of a schedule that is read in a window: those
// that Flows gives them in a list.
func (j *Job) assignPorts(r *Ranks) {
	if j.Schedule.spool == nil {
		return
	}
	sum := map[pair]uint32{}
	for rank, peers := range j.Schedule.spool.peers {
		w := &r.ranks[rank].window
		w.ports = map[sluice.SwitchID]*ports{}
		for _, t := range peers {
			to := j.Hosts[t.to]
			p := w.ports[to]
			if p == nil {
				p = &ports{next: sum[pair{j.Hosts[rank], to}]}
				w.ports[to] = p
			}
			p.own += uint32(t.messages)
		}
		for to, p := range w.ports {
			sum[pair{j.Hosts[rank], to}] += p.own
		}
	}
	for rank := range r.ranks {
		for to, p := range r.ranks[rank].window.ports {
			p.others = sum[pair{j.Hosts[rank], to}] - p.own
		}
	}
}

// Unread visits messages of a schedule that is read in a window, if a filter takes their indexes.
// It reads the operations again.
func (r *Ranks) Unread(takes func(flow int32) bool, visit func(*Message)) error {
	back := reader{Ranks: r}
	sent := map[pair]uint32{}
	flow := int32(r.job.First)
	for range r.iterations {
		for rank := range int32(r.s.Ranks) {
			for k := range r.ranks[rank].outline.pieces {
				p := r.s.take(&back.effects, rank, k)
				if p == nil {
					return back.effects.Err
				}
				for i := range p.operations {
					o := &p.operations[i]
					hosts := pair{r.job.Hosts[rank], 0}
					if o.Kind == Send {
						hosts.to = r.job.Hosts[o.Peer]
					}
					if o.Kind != Send || hosts.from == hosts.to {
						continue
					}
					if takes(flow) {
						visit(&Message{
							Flow: flow, Operation: p.base + int32(i), From: rank, To: o.Peer, Tag: o.Tag,
							Size: o.Size, SrcPort: workload.SourcePort(sent[hosts]),
						})
					}
					sent[hosts]++
					flow++
				}
				back.effects.spare = append(back.effects.spare, p)
			}
		}
	}
	return nil
}

// Flows returns a flow for each message between different hosts: iteration by iteration, rank by
// rank, in the order of the file. When they start is known when they do.
func (j *Job) Flows() []workload.Flow {
	flows := make([]workload.Flow, 0, j.Messages())
	for range j.iterations() {
		j.eachMessage(func(rank, _ int32, o *Operation) {
			flows = append(flows, workload.Flow{
				Src: j.Hosts[rank], Dst: j.Hosts[o.Peer], Class: j.Class, DstPort: dstPort,
				Bytes: o.flowBytes(), Start: j.Start, Group: j.group(o),
			})
		})
	}
	workload.AssignPorts(flows)
	return flows
}
