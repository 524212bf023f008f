package check

import "sort"

// protocolState is what tables of our protocols say, by the names that they have in every program
// of ours.
type protocolState struct {
	f       *faults
	entries map[string][]*entry
	front   []*entry    // of $PORT
	port    map[int]int // dev_port of each number of a port
}

// holdProtocols notes what is wrong with tables of our protocols beside each other, and beside the
// driver's.
func holdProtocols(f *faults, p *program, c *chipState, entries []*entry) {
	s := &protocolState{f: f, entries: map[string][]*entry{}, port: map[int]int{}}
	for _, e := range entries {
		if e.op != "delete" && e.op != "default" {
			s.entries[e.tableName] = append(s.entries[e.tableName], e)
		}
	}
	s.front = s.entries["$PORT"]
	for _, e := range s.entries["pipe.Ingress.port_in"] {
		s.port[named(e.data, "index").whole()] = e.keyed("port")
	}
	s.rounds()
	s.generators()
	s.groups()
	s.numbers()
	s.limits()
	s.classes(c)
	s.waits()
	if len(s.entries["pipe.Ingress.class_queue"]) > 0 {
		p.functions(f)
	}
}

func (s *protocolState) fault(e *entry, rule string, values ...any) {
	s.f.add(e.file, e.offset, e.tableName, e.String(), rule, values...)
}

// rounds checks that what a mirror sends to a port of the chip's own comes round there.
func (s *protocolState) rounds() {
	round := map[int]bool{}
	for _, e := range s.entries["tf2.pktgen.port_cfg"] {
		round[e.keyed("dev_port")] = named(e.data, "recirculation_enable").yes()
	}
	for _, e := range s.entries["$mirror.cfg"] {
		to := named(e.data, "$ucast_egress_port")
		if to != nil && to.whole()&0x7F < channels && !round[to.whole()] {
			s.fault(e, "port %d does not send round: recirculation_enable", to.whole())
		}
	}
}

// generators checks that a generator that begins a program has a batch for each port, and a port.
func (s *protocolState) generators() {
	on := map[int]bool{}
	for _, e := range s.entries["tf2.pktgen.port_cfg"] {
		on[e.keyed("dev_port")&0x7F] = named(e.data, "pktgen_enable").yes()
	}
	for _, e := range s.entries["tf2.pktgen.app_cfg"] {
		if e.actionName != "trigger_timer_one_shot" {
			continue
		}
		if batches := named(e.data, "batch_count_cfg").whole() + 1; batches != len(s.front) {
			s.fault(e, "%d batches: there are %d ports", batches, len(s.front))
		}
		if port := named(e.data, "pipe_local_source_port").whole(); !on[port] {
			s.fault(e, "port %d of the pipe does not generate: pktgen_enable", port)
		}
	}
}

// groups checks that a signal to all ports but one is to all of them, and not to that one.
func (s *protocolState) groups() {
	ports := func(e *entry) map[int]bool {
		of := map[int]bool{}
		for _, n := range list(named(e.data, "$DEV_PORT")) {
			of[n.whole()] = true
		}
		return of
	}
	nodes, groups, pruned := map[int]map[int]bool{}, map[int][]int{}, map[int]map[int]bool{}
	for _, e := range s.entries["$pre.node"] {
		nodes[e.keyed("$MULTICAST_NODE_ID")] = ports(e)
	}
	for _, e := range s.entries["$pre.mgid"] {
		for _, n := range list(named(e.data, "$MULTICAST_NODE_ID")) {
			groups[e.keyed("$MGID")] = append(groups[e.keyed("$MGID")], n.whole())
		}
	}
	for _, e := range s.entries["$pre.prune"] {
		pruned[e.keyed("$MULTICAST_L2_XID")] = ports(e)
	}
	for _, e := range s.entries["pipe.Ingress.others"] {
		own := s.port[e.keyed("port")]
		group, excluded := named(e.data, "group").whole(), named(e.data, "excluded").whole()
		if len(groups[group]) == 0 {
			s.fault(e, "group %d is not in $pre.mgid", group)
			continue
		}
		if out := pruned[excluded]; !out[own] || len(out) != 1 {
			s.fault(e, "$pre.prune %d does not leave out port %d alone, of which the signal is", excluded,
				own)
		}
		for _, front := range s.front {
			in := false
			for _, node := range groups[group] {
				in = in || nodes[node][front.keyed("$DEV_PORT")]
			}
			if !in {
				s.fault(e, "group %d does not have port %d", group, front.keyed("$DEV_PORT"))
			}
		}
	}
}

// numbers checks that no two ports have the number of one where frames are counted or come in.
func (s *protocolState) numbers() {
	for _, name := range []string{"pipe.Ingress.port_in", "pipe.Egress.signals"} {
		taken := map[int]*entry{}
		for _, e := range s.entries[name] {
			index := named(e.data, "index")
			if index == nil {
				continue
			}
			if other := taken[index.whole()]; other != nil {
				s.fault(e, "index %d is that of the entry at octet %d", index.whole(), other.offset)
			}
			taken[index.whole()] = e
		}
	}
}

// limits checks that what pauses is more than what resumes: of OFC, whose entry says the largest
// numbers of cells that pause nothing and the least that resumes nothing, and of PortFC, where
// those of packets and notices are two entries.
func (s *protocolState) limits() {
	type of struct{ class, port int }
	off := map[of]*entry{}
	for _, e := range s.entries["pipe.Ingress.limits"] {
		if congested := named(e.data, "congested"); congested != nil {
			all, resume := named(e.data, "all_limit").whole(), named(e.data, "resume").whole()
			if congested.whole() > all {
				s.fault(e, "congested %d: a whole class is paused above %d already", congested.whole(), all)
			}
			if resume > congested.whole()+1 {
				s.fault(e, "resume %d: flows are paused above %d already", resume, congested.whole())
			}
		} else if e.actionName == "Ingress.arrives" {
			off[of{e.keyed("queue_class"), e.keyed("port")}] = e
		}
	}
	for _, e := range s.entries["pipe.Ingress.limits"] {
		at := off[of{e.keyed("queue_class"), e.keyed("port")}]
		if e.actionName != "Ingress.leaves" || at == nil {
			continue
		}
		if on, pauses := named(e.data, "limit").whole(), named(at.data, "limit").whole(); on > pauses {
			s.fault(e, "limit %d: the same is paused at %d", on, pauses)
		}
	}
}

// classes checks that no two classes share a queue, and that words name the queues of their class
// and port.
func (s *protocolState) classes(c *chipState) {
	const perClass = 3
	base, of := map[int]int{}, map[int]*entry{}
	entries := append([]*entry(nil), s.entries["pipe.Ingress.class_queue"]...)
	sort.SliceStable(entries, func(a, b int) bool {
		return entries[a].keyed("traffic_class") < entries[b].keyed("traffic_class")
	})
	for _, e := range entries {
		first, count := named(e.data, "queue").whole(), 1
		if e.actionName == "Ingress.under_ofc" {
			count = perClass
		}
		base[e.keyed("traffic_class")] = first
		for q := first; q < first+count; q++ {
			if other := of[q]; other != nil {
				s.fault(e, "queue %d is that of class %d", q, other.keyed("traffic_class"))
				break
			}
			of[q] = e
		}
	}
	for _, e := range s.entries["pipe.Ingress.afc"] {
		class := e.keyed("traffic_class")
		word := named(e.data, "word")
		if class < 0 || word == nil || len(base) == 0 {
			continue
		}
		number := word.number()
		if number == nil || number.BitLen() > 32 {
			continue // which was noted
		}
		bits := number.Uint64()
		at, carved := c.portOf(queue{int(bits >> 29 & 3), int(bits >> 25 & 15), int(bits >> 15 & 127)})
		if want := (owned{s.port[e.keyed("port")], base[class] +
			e.keyed("queue")}); carved && at != want {
			s.fault(e, "word: is of queue %d of port %d, class_queue and port_in make it %d of %d", at.qid,
				at.port, want.qid, want.port)
		}
	}
}

// waits checks that no two digits send packets to one IHFQ: a pause of it would hold both.
func (s *protocolState) waits() {
	taken := map[int]*entry{}
	for _, e := range s.entries["pipe.Ingress.queue"] {
		if e.actionName != "Ingress.to_ihfq" {
			continue
		}
		qid := named(e.data, "qid").whole()
		if other := taken[qid]; other != nil {
			s.fault(e, "qid %d is that of the entry at octet %d: a pause would hold both", qid, other.offset)
		}
		taken[qid] = e
	}
}

// functions checks that no two functions of a control are the same: of OFC's two rows of cells a
// flow would have one.
func (p *program) functions(f *faults) {
	for _, b := range p.controls {
		taken := map[string]string{}
		for _, one := range b.locals {
			if len(one.kind) < 13 || one.kind[:13] != "CRCPolynomial" {
				continue
			}
			text := one.kind
			for _, argument := range one.arguments {
				text += " " + argument.text
			}
			if other, is := taken[text]; is {
				f.add(p.file, b.offset, b.name, one.name, "is the same function as %s", other)
			}
			taken[text] = one.name
		}
	}
}
