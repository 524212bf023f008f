package main

import (
	"encoding/binary"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// source sends the packets of a flow as fast as its card takes them. It has one packet there at a
// time, so that the flows of a host take turns, and a flow that is paused waits where it does no
// harm.
type source struct {
	flow     int
	number   uint64 // of the next packet
	waiting  bool   // a packet is in the card
	stopped  bool
	template []byte
	packet   sluice.Packet
}

func (n *node) addSource(f int) {
	flow := n.plan.flows[f]
	tuple := hashpath.FlowBetween(flow.from, flow.to, firstPort+uint16(f), discardPort, 17)
	path, _ := n.routes.Path(n.id, sluice.Local, &tuple)
	n.sources = append(n.sources, source{
		flow: f, template: template(f, n.place, n.plan.places[flow.to], n.settings.size, n.shim),
		packet: sluice.Packet{
			Flow: tuple.Hash(), Size: sluice.Bytes(n.settings.size), Ingress: sluice.Local, Class: class,
			ECN: sluice.ECT0, Path: path,
		},
	})
}

// generate gives the card a packet of each flow that has none there.
func (n *node) generate() {
	for i := range n.sources {
		n.offer(&n.sources[i])
	}
}

// offer gives the card the next packet of a flow.
func (n *node) offer(s *source) {
	out := s.packet.Path.At(0).Port
	if s.waiting || s.stopped || n.ports[out].down {
		return
	}
	h, ok := n.store.Take()
	if !ok {
		return // an item will be free soon
	}
	item := n.store.At(h)
	item.Packet = s.packet
	item.Value = append(item.Value[:0], s.template...)
	at := ipOffset(n.shim) + 20 + 8
	binary.BigEndian.PutUint64(item.Value[at:], s.number)
	s.number++
	s.waiting = true
	n.driver.Enqueue(n.now, out, h)
}

// sourceFree takes note that a packet of this host was sent by its card, or dropped there.
func (n *node) sourceFree(frame []byte, sent bool) {
	port := binary.BigEndian.Uint16(frame[ipOffset(n.shim)+20:])
	for i := range n.sources {
		if s := &n.sources[i]; s.flow == int(port)-firstPort {
			if s.waiting = false; sent {
				n.offer(s)
			}
		}
	}
}

// stopSources ends all flows that begin here. Packets in the card still leave.
func (n *node) stopSources() {
	for i := range n.sources {
		n.sources[i].stopped = true
	}
}

// sink counts what arrives of a flow.
type sink struct {
	tuple      hashpath.Flow
	received   uint64
	next       uint64 // number expected
	outOfOrder uint64 // packets that came after a higher number, or twice
	delay      *hdrhistogram.Histogram
}

func newSink(f int, flow flow) sink {
	return sink{
		tuple: hashpath.FlowBetween(flow.from, flow.to, firstPort+uint16(f), discardPort, 17),
		delay: hdrhistogram.New(1, time.Minute.Nanoseconds(), 3),
	}
}

// deliver takes a packet that is for this host.
func (n *node) deliver(h *headers) {
	f := int(h.flow.SrcPort) - firstPort
	if f < 0 || f >= len(n.sinks) || h.flow != n.sinks[f].tuple || len(h.payload) < 16 {
		n.stray++
		return
	}
	s := &n.sinks[f]
	number := binary.BigEndian.Uint64(h.payload)
	s.received++
	if number < s.next {
		s.outOfOrder++
	}
	s.next = max(s.next, number+1)
	s.delay.RecordValue(sinceEpoch() - int64(binary.BigEndian.Uint64(h.payload[8:])))
}

type sinkSnapshot struct {
	received, outOfOrder        uint64
	delay50, delay99, delayMost time.Duration
}

func (s *sink) snapshot() sinkSnapshot {
	if s.delay == nil {
		return sinkSnapshot{}
	}
	return sinkSnapshot{
		s.received, s.outOfOrder,
		time.Duration(s.delay.ValueAtQuantile(50)), time.Duration(s.delay.ValueAtQuantile(99)),
		time.Duration(s.delay.Max()),
	}
}
