package pfc

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// FuzzParse: no bytes make a parser panic. The strict one writes an accepted frame with the same
// bytes; the tolerant one accepts that frame too, and reads the same of it.
func FuzzParse(f *testing.F) {
	for _, frame := range framesOfAllKinds() {
		f.Add(frame.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		var frame, strict Frame
		err, strictErr := frame.Parse(b), strict.ParseStrict(b)
		if !bytes.Equal(before, b) {
			t.Fatal("parsing changed the bytes")
		}
		if err != nil && frame != (Frame{}) || strictErr != nil && strict != (Frame{}) {
			t.Fatal("a refused frame changed the Frame")
		}
		if err == nil {
			if kind := frame.Kind(); kind != "pause" && kind != "resume" {
				t.Fatal(kind)
			}
			var again Frame
			if err := again.ParseStrict(frame.AppendTo(nil)); err != nil || again != frame {
				t.Fatalf("%+v is written as a frame that says %+v, %v", frame, again, err)
			}
		}
		if strictErr != nil {
			return
		}
		if again := strict.AppendTo(nil); !bytes.Equal(again, b[:FrameLength]) ||
			len(bytes.Trim(b[FrameLength:], "\x00")) > 0 {
			t.Fatalf("%x parses, and is written as %x", b, again)
		}
		if err != nil || frame != strict {
			t.Fatalf("the strict parser reads %+v, the tolerant one %+v, %v", strict, frame, err)
		}
	})
}

// FuzzHooks decodes bytes to a configuration and a list of hooks, right and wrong ones, keeps the
// queues as an embedder does, and checks the invariants after each. In the end everything must come
// to rest.
func FuzzHooks(f *testing.F) {
	f.Add([]byte{0xff, 0, 0, 0, 0, 3, 1, 200, 0, 3, 1, 200, 1, 0, 0, 0, 4, 9, 9, 9, 2, 1, 8, 8})
	f.Add([]byte{
		0x08, 1, 2, 3, 0, 3, 1, 255, 0, 3, 1, 255, 0, 3, 1, 255, 1, 0, 0, 0, 3, 0, 0xff, 7, 5, 0, 0, 0,
	})
	f.Add([]byte{0x08, 1, 2, 0x83, 0, 3, 1, 200, 0, 3, 2, 200, 1, 0, 0, 9, 4, 9, 9, 9, 2, 1, 8, 8})
	f.Add([]byte{0x18, 2, 1, 7, 6, 0, 0, 0, 0, 3, 0, 90, 6, 1, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			return
		}
		z := &fuzzer{t: t, fifo: map[[2]int][]sluice.Packet{}}
		s, err := New(fuzzConfig(b[0], b[1], b[2], b[3]))
		if err != nil {
			t.Fatal(err)
		}
		z.s = s
		for b = b[4:]; len(b) >= 4; b = b[4:] {
			z.act(b[0], b[1], b[2], b[3])
			z.check()
		}
		z.rest()
	})
}

func fuzzConfig(lossless, mode, pool, watchdog byte) Config {
	c := Config{
		Classes: sluice.ClassSet(lossless),
		Buffer:  3*8*(500+4000) + sluice.Bytes(pool)*200 + 1,
	}
	for i := range 3 {
		p := PortConfig{
			Link:  sluice.Link{Rate: sluice.Rate(i*i*50+1) * sluice.Gbps},
			Mode:  Mode(mode>>(2*i)) & 3 % numModes,
			Pause: sluice.Quanta(watchdog) * 50,
			Profile: Profile{
				Reserve:      500,
				Headroom:     4000,
				Alpha:        ratio(int64(mode)+1, 64),
				ResumeOffset: 300,
			},
		}
		if i == 2 {
			p.Alpha, p.ResumeOffset, p.XOff, p.XOn = sluice.Ratio{}, 0, 3000, 1500
		}
		c.Ports = append(c.Ports, p)
	}
	if mode&0x40 != 0 {
		c.Groups = []Group{{Classes: 0xf0}, {Classes: 0x0f, Quantum: [8]sluice.Bytes{1: 1}}}
	}
	if watchdog&0x80 != 0 {
		fuzzRules(&c, watchdog)
	}
	if watchdog&1 != 0 {
		c.Watchdog = Watchdog{
			Detection: 2 * sluice.Microsecond,
			Poll:      sluice.Microsecond,
			Action:    WatchdogAction(watchdog>>1) % numWatchdogActions,
		}
	}
	return c
}

// fuzzRules gives the ports rules.
func fuzzRules(c *Config, n byte) {
	c.EgressPools = []sluice.Bytes{sluice.Bytes(n) * 200}
	for i := range c.Ports {
		q := &qos.Port{Queue: swapped(3, sluice.Class(n%8)), PauseGroup: swapped(1, sluice.Class(n%8))}
		q.Group, q.Lossy = &qos.Map{0, 0, 2, 3, 3, 5, 6, sluice.Class(i)}, 0x05&^c.lossless(i)
		q.Egress, q.Ingress = []qos.Limit{{Alpha: ratio(1, 2)}}, []qos.Limit{{Static: 20_000}}
		for class := range q.Queues {
			q.Queues[class] = &qos.Limit{Alpha: ratio(1, int64(class)+1), Reserve: 100}
		}
		curve := sluice.Marking{KMin: 1000, KMax: 5000, PMax: ratio(1, 2)}
		q.WRED[3] = &qos.WRED{
			Curves: [3]sluice.Marking{curve, curve, curve}, Mark: [3]bool{true}, Drop: [3]bool{true, true},
		}
		q.Shaper = qos.Shaper{Rate: sluice.Gbps, Burst: 3000}
		q.Shapers[3].Rate = sluice.Gbps / 4
		c.Ports[i].QoS = q
		for _, class := range []int{0, 2} {
			profile := c.Ports[i].Profile
			profile.Headroom *= sluice.Bytes(c.lossless(i) >> class & 1)
			c.Ports[i].Profiles[class] = &profile
		}
	}
}

type fuzzer struct {
	t     *testing.T
	s     *Switch
	now   sluice.Time
	fifo  map[[2]int][]sluice.Packet
	held  int64
	woken [3]bool
	down  [3]bool // links
	busy  bool    // no transmitter is free: frames wait
}

func (z *fuzzer) act(what, x, y, n byte) {
	port := sluice.PortID(x >> 4 % 3)
	z.busy = what&0x80 != 0
	switch what & 0x7f % 10 {
	case 0, 6: // a packet, perhaps several, perhaps none that may be
		p := sluice.Packet{
			Size:    sluice.Bytes(n)*40 - 40,
			Class:   sluice.Class(x & 15),
			Ingress: sluice.PortID(y%5) - 1,
		}
		for range y>>4 + 1 {
			z.enqueue(port, p)
		}
	case 1:
		for range n%16 + 1 {
			z.dequeue(port)
		}
	case 2: // a Dequeue that no Next named
		queue := sluice.QueueID(y)
		if len(z.fifo[[2]int{int(port), int(queue)}]) > 0 {
			return
		}
		p := sluice.Packet{Size: sluice.Bytes(n), Class: sluice.Class(y), Ingress: sluice.PortID(x % 4)}
		if v := z.s.Port(port).Dequeue(z.now, queue, &p); v.Action() != sluice.Drop ||
			v.Reason() == sluice.NoReason ||
			v.Wake() != 0 {
			z.t.Fatalf("Dequeue of nothing: %v", v)
		}
	case 3:
		frame := Frame{Opcode: OpcodePFC, Enabled: sluice.ClassSet(y)}
		if x&1 != 0 {
			frame.Opcode = uint16(n)
		}
		for i := range frame.Time {
			frame.Time[i] = sluice.Quanta(n) * sluice.Quanta(i*i)
		}
		z.poll(z.s.Port(port).Receive(z.now, &frame))
	case 4, 5:
		z.now += sluice.Time(binary.BigEndian.Uint16([]byte{x, y})) * sluice.Time(n)
		z.poll(z.s.Expire(z.now))
		if z.s.Deadline() <= z.now {
			z.t.Fatalf("Deadline %v after Expire(%v)", z.s.Deadline(), z.now)
		}
	case 8:
		z.down[port] = true
		z.poll(z.s.Port(port).LinkDown(z.now))
		for c := range sluice.QueueID(8) {
			if p := z.s.Port(port); !p.Sendable(c) {
				z.t.Fatalf("the link is down and class %d is held", c)
			}
		}
	case 9:
		z.down[port] = false
		z.poll(z.s.Port(port).LinkUp(z.now))
	case 7:
		z.poll(z.s.BigRedSwitch(z.now, n&1 != 0))
	}
}

func (z *fuzzer) enqueue(port sluice.PortID, p sluice.Packet) {
	v := z.s.Port(port).Enqueue(z.now, &p)
	switch v.Action() {
	case sluice.Append:
		at := [2]int{int(port), int(v.Queue())}
		z.fifo[at] = append(z.fifo[at], p)
		z.held += int64(p.Size)
	case sluice.Drop:
		if v.Reason() == sluice.NoReason || v.Wake() != 0 {
			z.t.Fatal(v)
		}
	default:
		z.t.Fatal(v)
	}
	z.poll(v.Wake())
}

func (z *fuzzer) dequeue(port sluice.PortID) bool {
	q, ok := z.s.Port(port).Next(z.now)
	if !ok {
		for c := range 8 {
			if len(z.fifo[[2]int{int(port), c}]) > 0 && z.s.Port(port).Sendable(sluice.QueueID(c)) {
				z.t.Fatalf("class %d may send and Next finds nothing", c)
			}
		}
		return false
	}
	at := [2]int{int(port), int(q)}
	if len(z.fifo[at]) == 0 {
		z.t.Fatalf("Next answers %d, which is empty", q)
	}
	p := z.fifo[at][0]
	z.fifo[at] = z.fifo[at][1:]
	z.held -= int64(p.Size)
	v := z.s.Port(port).Dequeue(z.now, q, &p)
	switch {
	case v.Action() == sluice.Transmit, v.Reason() == sluice.WatchdogDrop:
	case v.Reason() == sluice.LinkDown && z.down[port]: // flushed
	default:
		z.t.Fatal(v)
	}
	z.poll(v.Wake())
	return true
}

func (z *fuzzer) poll(w sluice.Wake) {
	for port := range wokenPorts(z.s, w) {
		z.woken[port] = true
	}
	if z.busy {
		return
	}
	var frame Frame
	for port := range sluice.PortID(3) {
		if z.s.Port(port).PollFrame(z.now, &frame) && !z.woken[port] {
			z.t.Fatalf("a frame for port %d, which was not woken, the word was %v", port, w)
		}
		z.woken[port] = false
	}
}

func (z *fuzzer) check() {
	if err := z.s.Audit(); err != nil {
		z.t.Fatal(err)
	}
	if int64(z.s.Buffered()) != z.held {
		z.t.Fatalf("Buffered %d, held %d", z.s.Buffered(), z.held)
	}
}

// rest lets time pass until nothing is held, empties the queues, and expects quiet. The longest
// pause lasts 33.6 ms.
func (z *fuzzer) rest() {
	z.busy = false
	z.poll(z.s.BigRedSwitch(z.now, false))
	for port := range sluice.PortID(3) {
		z.poll(z.s.Port(port).LinkUp(z.now))
	}
	for late := z.now + 400*sluice.Millisecond; z.now < late; {
		for port := range sluice.PortID(3) {
			for z.dequeue(port) {
			}
		}
		if z.s.Quiescent() == nil {
			return
		}
		z.now = min(max(z.now+1, z.s.Deadline()), z.now+40*sluice.Millisecond)
		z.poll(z.s.Expire(z.now))
		z.check()
	}
	z.t.Fatal(z.s.Quiescent())
}
