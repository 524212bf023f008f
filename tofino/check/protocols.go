package check

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// holdProtocols notes what is wrong with tables of our protocols beside each other, and beside the
// driver's, by the names that they have in every program of ours.
func (s *state) holdProtocols() {
	port := map[int]int{} // dev_port of each number of a port
	for _, e := range s.of["pipe.Ingress.port_in"] {
		port[e.says("index")] = e.keyed("port")
	}
	s.rounds()
	s.generators()
	s.groups(port)
	// No two ports have the same number where frames come in or are counted, and no two digits send
	// packets to one IHFQ.
	s.distinct("pipe.Ingress.port_in", "", "index", "")
	s.distinct("pipe.Egress.signals", "", "index", "")
	s.limits()
	s.classes(port)
	s.distinct("pipe.Ingress.queue", "Ingress.to_ihfq", "qid", ": a pause would hold both")
	if len(s.of["pipe.Ingress.class_queue"]) > 0 {
		s.functions()
	}
}

// distinct checks that no two entries of a table and an action, or of any, say the same number.
func (s *state) distinct(table, action, datum, why string) {
	taken := map[int]*entry{}
	for _, e := range s.of[table] {
		number := e.says(datum)
		if action != "" && e.actionName != action || number < 0 {
			continue
		}
		if other := taken[number]; other != nil {
			e.fault("the entry at octet %d has the same %s %d%s", other.offset, datum, number, why)
		}
		taken[number] = e
	}
}

// rounds checks that packets that a mirror sends to an internal port come round there.
func (s *state) rounds() {
	round := map[int]bool{}
	for _, e := range s.of["tf2.pktgen.port_cfg"] {
		round[e.keyed("dev_port")] = named(e.data, "recirculation_enable").yes()
	}
	for _, e := range s.of["$mirror.cfg"] {
		if to := e.says("$ucast_egress_port"); to >= 0 && to&0x7F < channels && !round[to] {
			e.fault("port %d does not send round: recirculation_enable", to)
		}
	}
}

// generators checks that a generator that begins a program has a batch for each port, and a port.
func (s *state) generators() {
	on := map[int]bool{}
	for _, e := range s.of["tf2.pktgen.port_cfg"] {
		on[e.keyed("dev_port")&0x7F] = named(e.data, "pktgen_enable").yes()
	}
	for _, e := range s.of["tf2.pktgen.app_cfg"] {
		if e.actionName != "trigger_timer_one_shot" {
			continue
		}
		if batches := e.says("batch_count_cfg") + 1; batches != len(s.of["$PORT"]) {
			e.fault("%d batches: there are %d ports", batches, len(s.of["$PORT"]))
		}
		if port := e.says("pipe_local_source_port"); !on[port] {
			e.fault("port %d of the pipe does not generate: pktgen_enable", port)
		}
	}
}

// groups checks that a signal to all ports but one goes to all the others, and not to that port.
func (s *state) groups(port map[int]int) {
	groups, pruned := map[int][]int{}, map[int][]int{}
	for _, e := range s.of["$pre.mgid"] {
		groups[e.keyed("$MGID")] = append(groups[e.keyed("$MGID")], e.listed("$MULTICAST_NODE_ID")...)
	}
	for _, e := range s.of["$pre.prune"] {
		pruned[e.keyed("$MULTICAST_L2_XID")] = e.listed("$DEV_PORT")
	}
	for _, e := range s.of["pipe.Ingress.others"] {
		own, group, excluded := port[e.keyed("port")], e.says("group"), e.says("excluded")
		if len(groups[group]) == 0 {
			e.fault("group %d is not in $pre.mgid", group)
			continue
		}
		out := pruned[excluded]
		if len(out) == 0 || slices.ContainsFunc(out, func(port int) bool { return port != own }) {
			e.fault("$pre.prune %d does not leave out port %d alone, of which the signal is", excluded, own)
		}
		var reached []int
		for _, node := range groups[group] {
			if s.nodes[node] != nil {
				reached = append(reached, s.nodes[node].listed("$DEV_PORT")...)
			}
		}
		for _, front := range s.of["$PORT"] {
			if to := front.keyed("$DEV_PORT"); !slices.Contains(reached, to) {
				e.fault("group %d does not have port %d", group, to)
			}
		}
	}
}

// limits checks that thresholds to pause are above thresholds to resume: of OFC, whose entry has
// the largest numbers of cells that pause nothing and the least number that resumes nothing, and of
// PortFC, where the limits of packets and of notices are two entries.
func (s *state) limits() {
	type of struct{ class, port int }
	place := func(e *entry) of { return of{e.keyed("queue_class"), e.keyed("port")} }
	off := map[of]*entry{}
	for _, e := range s.of["pipe.Ingress.limits"] {
		if named(e.data, "congested") != nil {
			congested, all, resume := e.says("congested"), e.says("all_limit"), e.says("resume")
			if congested > all {
				e.fault("congested %d: a whole class is paused above %d already", congested, all)
			}
			if resume > congested+1 {
				e.fault("resume %d: flows are paused above %d already", resume, congested)
			}
		} else if e.actionName == "Ingress.arrives" {
			off[place(e)] = e
		}
	}
	for _, e := range s.of["pipe.Ingress.limits"] {
		at := off[place(e)]
		if e.actionName == "Ingress.leaves" && at != nil && e.says("limit") > at.says("limit") {
			e.fault("limit %d: the queues are paused at %d", e.says("limit"), at.says("limit"))
		}
	}
}

// classes checks that no two classes share a queue, and that words name the queues of their class
// and port.
func (s *state) classes(port map[int]int) {
	const perClass = 3
	base, of := map[int]int{}, map[int]*entry{}
	entries := slices.Clone(s.of["pipe.Ingress.class_queue"])
	slices.SortStableFunc(entries, func(a, b *entry) int {
		return a.keyed("traffic_class") - b.keyed("traffic_class")
	})
	for _, e := range entries {
		first, count := e.says("queue"), 1
		if e.actionName == "Ingress.under_ofc" {
			count = perClass
		}
		base[e.keyed("traffic_class")] = first
		for q := first; q < first+count; q++ {
			if other := of[q]; other != nil {
				e.fault("queue %d is the queue of class %d too", q, other.keyed("traffic_class"))
				break
			}
			of[q] = e
		}
	}
	for _, e := range s.of["pipe.Ingress.afc"] {
		class, word := e.keyed("traffic_class"), named(e.data, "word").number()
		if class < 0 || len(base) == 0 || word == nil || word.BitLen() > 32 {
			continue // the fault was noted
		}
		at, carved := s.chip.portOf(wordQueue(word.Uint64()))
		want := owned{port[e.keyed("port")], base[class] + e.keyed("queue")}
		if carved && at != want {
			e.fault("word: is of queue %d of port %d, class_queue and port_in say queue %d of port %d",
				at.qid, at.port, want.qid, want.port)
		}
	}
}

// functions checks that no two functions are the same: with two equal functions a flow of OFC would
// have a cell in one of its two rows only.
func (s *state) functions() {
	taken := map[ir.HashFunction]string{}
	for _, f := range s.program.Functions {
		alike := *f
		alike.Name = ""
		if other, is := taken[alike]; is && f.Kind == ir.CRC {
			s.add(s.program.file, 0, "", f.Name, "is the same function as %s", other)
		}
		taken[alike] = f.Name
	}
}
