package pfc

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestAgainstModel compares the switch with the slow model after every hook of random sequences:
// every verdict, every getter, every deadline, and the frames to the peers.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := drawRuledConfig(t)
		config.Watchdog = Watchdog{}
		config.CellSize = sluice.Bytes(rapid.SampledFrom([]int{0, 1, 64, 208}).Draw(t, "cell"))
		for i := range config.Ports {
			config.Ports[i].ECN = [sluice.Classes]sluice.Marking{}
		}
		c := newComparison(t, config)
		t.Repeat(map[string]func(*rapid.T){
			"enqueue":  c.enqueue,
			"burst":    c.burst,
			"dequeue":  c.dequeue,
			"drain":    c.drainPort,
			"receive":  c.receive,
			"expire":   c.expire,
			"advance":  c.advance,
			"":         c.compare,
			"enqueue2": c.enqueue,
		})
	})
}

// comparison drives both.
type comparison struct {
	t     *rapid.T
	s     *Switch
	m     *model
	now   sluice.Time
	fifo  map[portClass][]sluice.Packet
	peers []peer
	woken map[int]bool // since they were polled last
}

func newComparison(t *rapid.T, config Config) *comparison {
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return &comparison{
		t: t, s: s, m: newModel(s.Config()), peers: make([]peer, len(config.Ports)),
		fifo: map[portClass][]sluice.Packet{}, woken: map[int]bool{},
	}
}

// some calls some hooks.
func (c *comparison) some(t *rapid.T, most int) {
	for range rapid.IntRange(0, most).Draw(t, "hooks") {
		switch rapid.IntRange(0, 3).Draw(t, "hook") {
		case 0:
			c.burst(t)
		case 1:
			c.drainPort(t)
		case 2:
			c.receive(t)
		case 3:
			c.advance(t)
		}
	}
}

// peer is what the device at the other end of a port knows from the frames it got.
type peer struct {
	paused [sluice.Classes]bool
	last   [sluice.Classes]sluice.Time // when the last frame paused it
}

func (c *comparison) drawPacket(t *rapid.T) (int, sluice.Packet) {
	p := sluice.Packet{
		Size:    rapid.SampledFrom([]sluice.Bytes{1, 64, 1000, 1500, 9000}).Draw(t, "size"),
		Class:   sluice.Class(rapid.SampledFrom([]int{3, 3, 0, 1, 7}).Draw(t, "class")),
		Ingress: sluice.PortID(rapid.IntRange(0, c.s.Ports()).Draw(t, "ingress")),
		ECN:     sluice.ECN(rapid.IntRange(0, 3).Draw(t, "ECN")),
	}
	if int(p.Ingress) == c.s.Ports() {
		p.Ingress = sluice.Local
	}
	return rapid.IntRange(0, c.s.Ports()-1).Draw(t, "egress"), p
}

func (c *comparison) enqueue(t *rapid.T) {
	port, p := c.drawPacket(t)
	c.push(t, port, p)
}

func (c *comparison) burst(t *rapid.T) {
	port, p := c.drawPacket(t)
	for range rapid.IntRange(2, 20).Draw(t, "packets") {
		c.push(t, port, p)
	}
}

func (c *comparison) push(t *rapid.T, port int, p sluice.Packet) {
	v := c.s.Port(sluice.PortID(port)).Enqueue(c.now, &p)
	reason, pauses := c.m.enqueue(c.now, port, &p)
	switch {
	case reason != sluice.NoReason:
		if v != sluice.DropBecause(reason) {
			t.Fatalf("%v, the model drops: %v", v, reason)
		}
		return
	case v.Action() != sluice.Append || v.Queue() != sluice.QueueID(c.m.queue(port, &p).class):
		t.Fatalf("%v, the model appends", v)
	case !pauses && v.Wake() != 0:
		t.Fatalf("%v, the model changes nothing", v)
	}
	at := c.m.queue(port, &p)
	c.fifo[at] = append(c.fifo[at], p)
	c.poll(t, v.Wake())
}

func (c *comparison) dequeue(t *rapid.T) {
	if !c.pop(t, rapid.IntRange(0, c.s.Ports()-1).Draw(t, "egress")) {
		t.Skip("nothing to send")
	}
}

func (c *comparison) drainPort(t *rapid.T) {
	port := rapid.IntRange(0, c.s.Ports()-1).Draw(t, "egress")
	for range rapid.IntRange(2, 20).Draw(t, "packets") {
		c.pop(t, port)
	}
}

func (c *comparison) pop(t *rapid.T, port int) bool {
	out := c.s.Port(sluice.PortID(port))
	q, ok := out.Next(c.now)
	if want, wantOK := c.m.next(port); q != want || ok != wantOK {
		t.Fatalf("Next of port %d: (%d, %t), the model (%d, %t)", port, q, ok, want, wantOK)
	}
	if !ok {
		return false
	}
	at := portClass{port, sluice.Class(q)}
	p := c.fifo[at][0]
	c.fifo[at] = c.fifo[at][1:]
	v := out.Dequeue(c.now, q, &p)
	resumes := c.m.dequeue(c.now, port, &p)
	if mark := c.m.mark(at, &p); v.Action() != sluice.Transmit || v.Mark() != mark {
		t.Fatalf("%v, the model transmits with %v", v, mark)
	}
	class, changes := v.Class()
	if to := c.m.leaves(port, &p).class; changes != (p.Class != to) || changes && class != to {
		t.Fatalf("%v, the model sends class %d in class %d", v, p.Class, to)
	}
	if !resumes && v.Wake()&^sluice.WakeDeadline != 0 || v.Wake() != 0 && c.m.unshaped(at, resumes) {
		t.Fatalf("%v, the model changes nothing", v)
	}
	c.poll(t, v.Wake())
	return true
}

func (c *comparison) receive(t *rapid.T) {
	port := rapid.IntRange(0, c.s.Ports()-1).Draw(t, "port")
	var f Frame
	if err := f.Parse(drawBytes(t)); err != nil {
		t.Fatal(err)
	}
	w := c.s.Port(sluice.PortID(port)).Receive(c.now, &f)
	c.m.receive(c.now, port, &f)
	for id := range wokenPorts(c.s, w) {
		if id != sluice.PortID(port) {
			t.Fatalf("a frame received by port %d wakes port %d", port, id)
		}
	}
	if frames := c.poll(t, sluice.WakePort(sluice.PortID(port))); len(frames) > 0 {
		t.Fatalf("a frame received causes frames of ports %v", frames)
	}
}

func (c *comparison) advance(t *rapid.T) {
	c.now += sluice.Time(rapid.SampledFrom([]int64{1, 1000, 1_000_000, 200_000_000}).Draw(t, "by"))
	c.serve(t)
}

func (c *comparison) expire(t *rapid.T) {
	if c.s.Deadline() == sluice.Never {
		t.Skip("no timer")
	}
	c.now = max(c.now, c.s.Deadline())
	c.serve(t)
}

func (c *comparison) serve(t *rapid.T) {
	w := c.s.Expire(c.now)
	refreshed := c.m.expire(c.now)
	for port := range c.poll(t, w) {
		delete(refreshed, port)
	}
	if len(refreshed) > 0 {
		t.Fatalf("no frame refreshes ports %v", refreshed)
	}
}

// poll hands the pending frames to the peers, and returns the ports they left by: only ports that
// were woken since they were asked last may have one.
func (c *comparison) poll(t *rapid.T, w sluice.Wake) map[int]bool {
	for id := range wokenPorts(c.s, w) {
		c.woken[int(id)] = true
	}
	ports := map[int]bool{}
	var f Frame
	for i := range c.peers {
		if !c.s.Port(sluice.PortID(i)).PollFrame(c.now, &f) {
			continue
		}
		if !c.woken[i] {
			t.Fatalf("port %d has a frame and was not woken, the word is %v", i, w)
		}
		ports[i] = true
		c.peers[i].learn(c.now, &f)
		if c.s.Port(sluice.PortID(i)).PollFrame(c.now, &f) {
			t.Fatalf("port %d has a second frame", i)
		}
	}
	clear(c.woken)
	return ports
}

func (p *peer) learn(now sluice.Time, f *Frame) {
	for class := range sluice.Classes {
		t := f.Time[0]
		if f.Opcode == OpcodePFC {
			if f.Enabled>>class&1 == 0 {
				continue
			}
			t = f.Time[class]
		}
		p.paused[class] = t > 0
		p.last[class] = now
	}
}

// compare looks at everything that can be seen.
func (c *comparison) compare(t *rapid.T) {
	if err := c.s.Audit(); err != nil {
		t.Fatal(err)
	}
	if got, want := c.s.Deadline(), c.m.deadline(); got != want {
		t.Fatalf("Deadline %v, the model's %v", got, want)
	}
	for pool := range c.m.sizes {
		if got, want := int64(c.s.FreeOf(pool)), c.m.free(pool); got != want {
			t.Fatalf("FreeOf(%d) %d, the model's %d", pool, got, want)
		}
	}
	if pool := c.m.config.HeadroomPool; pool != 0 {
		if got, want := c.s.FreeHeadroom(), pool-sluice.Bytes(c.m.allHeadroom()); got != want {
			t.Fatalf("FreeHeadroom %d, the model's %d", got, want)
		}
	}
	for i := range c.peers {
		for class := range sluice.Class(sluice.Classes) {
			c.compareClass(t, portClass{i, class})
			c.compareRules(t, portClass{i, class})
		}
		c.comparePeer(t, i)
	}
}

func (c *comparison) compareClass(t *rapid.T, at portClass) {
	p := c.s.Port(sluice.PortID(at.port))
	var backlog int64
	for _, n := range c.m.queues[at] {
		backlog += n
	}
	until, held := c.m.held[at]
	if !held {
		until = sluice.Never
	}
	check := func(what string, got, want any) {
		if got != want {
			t.Fatalf("port %d class %d: %s is %v, the model's %v", at.port, at.class, what, got, want)
		}
	}
	check("Backlog", p.Backlog(sluice.QueueID(at.class)), sluice.Bytes(backlog))
	check("Sendable", p.Sendable(sluice.QueueID(at.class)), c.m.sendable(at))
	check("Held", p.Held().Has(at.class), held)
	check("HeldUntil", p.HeldUntil(at.class), until)
	check("Paused", p.Paused().Has(at.class), c.m.paused[at])
	check("IngressBytes", p.IngressBytes(at.class), sluice.Bytes(c.m.ingress[at]+c.m.hdrm[at]))
	check("HeadroomBytes", p.HeadroomBytes(at.class), sluice.Bytes(c.m.hdrm[at]))
	if !c.m.config.Ports[at.port].Classes.Has(at.class) {
		return
	}
	profile := c.m.profile(at)
	threshold := sluice.Bytes(c.m.threshold(at).Int64())
	offset := max(0, profile.ResumeOffset)
	if profile.XOff != 0 {
		offset = profile.XOff - profile.XOn
	}
	check("Threshold", p.Threshold(at.class), threshold)
	check("XOff", p.XOff(at.class), profile.Reserve+threshold)
	check("XOn", p.XOn(at.class), max(profile.Reserve+max(0, threshold-offset), profile.XOnFloor))
}

// comparePeer checks that the last frame to a peer has the present state, and is younger than a
// third of the pause time.
func (c *comparison) comparePeer(t *rapid.T, port int) {
	mode := c.m.config.Ports[port].Mode
	for class := range sluice.Class(sluice.Classes) {
		_, _, _, pauseGroup := c.m.config.Ports[port].QoS.Maps()
		group := pauseGroup[class]
		want := c.m.paused[portClass{port, group}] && c.m.config.Ports[port].Sends.Has(group)
		switch mode {
		case ClassicObey:
			want = false
		case ClassicPause:
			want = c.m.anyPaused(port)
		}
		peer := &c.peers[port]
		if peer.paused[class] != want {
			t.Fatalf(
				"the peer of port %d holds that class %d is paused: %t, the model %t",
				port,
				class,
				peer.paused[class],
				want,
			)
		}
		if age := c.now - peer.last[class]; want && age > c.m.third(port) {
			t.Fatalf(
				"the last frame to port %d's peer about class %d is %v old, a third of the pause is %v",
				port,
				class,
				age,
				c.m.third(port),
			)
		}
	}
}
