package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// parsers make the parsers.
func (b *pyrrhaBuilder) parsers() {
	h := &b.headers
	round := &ir.State{Name: "round", Select: ir.Peek(8), Refuse: true, Cases: []ir.Case{
		sameAs(kindNotice, 8, state("notice", h.bridge)),
		sameAs(kindThread, 8, state("thread", h.thread))}}
	bridged, threaded := state("bridged", h.bridge), state("threaded", h.thread)
	b.parse(round, h.packets(b.frameStates(), h.ipState()), sameAs(kindData, 8, bridged),
		sameAs(kindNotice, 8, bridged), sameAs(kindPass, 8, bridged),
		sameAs(kindThread, 8, threaded), sameAs(kindSignal, 8, state("ordered", h.order, h.cut)))
}

// frameStates parse a frame to the octet: what the machine would refuse is refused.
func (b *pyrrhaBuilder) frameStates() *ir.State {
	h := &b.headers
	body := func(name string, length uint64, pad *ir.Header, headers ...*ir.Header) *ir.State {
		rest := &ir.State{Name: name + "_body", Extract: headers,
			Default: zeros(pad.Octets()+h.padding.Octets(), nil)}
		s := wanted(name, rest, want{of(h.signal, "length"), length})
		s.Extract = []*ir.Header{h.signal}
		return s
	}
	resume := body("resume", lengthOfRoot, h.padResume, h.root)
	return &ir.State{Name: "frame", Select: ir.Peek(32), Refuse: true, Cases: []ir.Case{
		frameOf(protocolPyrrha, typePause, body("pause", lengthOfPause, h.padPause, h.root, h.hop)),
		frameOf(protocolPyrrha, typeResume, resume),
		frameOf(protocolPyrrha, typeMerge, body("merge", lengthOfMerge, h.padMerge, h.root, h.old,
			h.hop)),
		frameOf(protocolPyrrha, typeDealloc, resume)}}
}

// egress sends notices of packets that count, numbers the copies of a thread, and makes frames.
func (b *pyrrhaBuilder) egress() []part {
	m, h := &b.md, &b.headers
	notify := b.do("notify", set(h.kind, kindNotice), set(ir.EgressMirror, 1),
		set(m.mirror, noticeSession), ir.SetValid{Header: h.bridge})
	pass := b.do("unbridge", ir.SetValid{Header: h.bridge})
	at := h.threadedAs(m.at)
	copied := []ir.Step{
		b.do("copy_number", assign(m.replica, ir.ReplicaID)),
		where(isNot(m.replica, 0), b.do("number_copy",
			assign(at, ir.Binary{Op: ir.Sub, X: m.replica, Y: ir.Number(16, 1)}))),
	}
	valid := func(headers ...*ir.Header) (body []ir.Statement) {
		for _, one := range headers {
			body = append(body, ir.SetValid{Header: one, Valid: true})
		}
		return body
	}
	length := func(octets uint64) ir.Statement { return set(of(h.signal, "length"), octets) }
	frame := []ir.Step{
		choose(way{is(h.orderType, typePause), b.do("make_pause",
			append(valid(h.hop, h.padPause), length(lengthOfPause))...)},
			way{is(h.orderType, typeMerge), b.do("make_merge",
				append(valid(h.old, h.hop, h.padMerge), length(lengthOfMerge))...)},
			way{isNot(h.orderType, typePause), b.do("make_resume",
				append(valid(h.padResume), length(lengthOfRoot))...)}),
		ir.Apply{Table: b.tables.signals},
	}
	return []part{{"Frames (section IV-C); copies of threads; packets, and notices that they have left",
		[]ir.Step{kinds(kind{ir.Valid{Header: h.order}, frame},
			kind{ir.Valid{Header: h.thread}, copied},
			kind{ir.Valid{Header: h.bridge}, []ir.Step{
				choose(way{is(h.kind, kindData), notify}, way{is(h.kind, kindPass), pass})}})}}}
}

// bridgeAs and threadedAs return the field of a header that keeps one of metadata.
func (h *pyrrhaHeaders) bridgeAs(f *ir.Field) *ir.Field   { return held(h.kept, f) }
func (h *pyrrhaHeaders) threadedAs(f *ir.Field) *ir.Field { return held(h.threaded, f) }

func held(list []keeps, f *ir.Field) *ir.Field {
	for _, one := range list {
		if one.md == f {
			return one.header
		}
	}
	panic("tofino: " + f.Name + " is not kept")
}
