package pyrrha

import (
	"fmt"
	"reflect"
	"sort"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"pgregory.net/rapid"
)

// Whatever packets and frames come, the switch answers as the slow model: the same queue for each
// packet, the same frames after each hook, the same states of roots, IQs and upstreams.
func TestAgainstModel(t *testing.T) { rapid.Check(t, checkModel) }

// pair is a switch, the model, and the packets, which both must agree on.
type pair struct {
	t        *rapid.T
	s        *Switch
	m        *model
	now      sluice.Time
	fifo     [][][]sluice.Packet
	sequence uint32
}

func checkModel(t *rapid.T) {
	c := Config{
		Switch:     1,
		Child:      ChildRule(rapid.IntRange(0, 1).Draw(t, "child rule")),
		UpPorts:    UpRule(rapid.IntRange(0, 2).Draw(t, "up rule")),
		AbdicateUp: rapid.Bool().Draw(t, "up-ports abdicate"),
		Merge:      MergeRule(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "merge rule")),
		Pause:      sluice.Ratio{Num: 2, Den: 1}, Resume: sluice.Ratio{Num: 1, Den: 1}, IQs: 60,
		Roots: 60, MTU: 1000,
	}
	for range rapid.IntRange(1, 4).Draw(t, "ports") {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{
				Rate:  8 * sluice.Gbps, // a byte a nanosecond: thresholds of 0 to 4,000 bytes
				Delay: sluice.Time(rapid.SampledFrom([]int{0, 500, 1000}).Draw(t, "delay")) * sluice.Nanosecond,
			},
			Role: rapid.SampledFrom([]Role{Down, Down, Up, Host, Legacy}).Draw(t, "role"),
		})
	}
	d := &pair{t: t, s: mustNew(c), m: newModel(c)}
	for range c.Ports {
		d.fifo = append(d.fifo, make([][]sluice.Packet, d.s.Queues()))
	}
	port := rapid.IntRange(0, len(c.Ports)-1)
	enqueue := func(t *rapid.T) {
		d.t = t
		egress, ingress := port.Draw(t, "egress"), port.Draw(t, "ingress")
		if rapid.IntRange(0, 9).Draw(t, "local") == 9 {
			ingress = modelLocal
		}
		var path []sluice.Hop
		for range rapid.IntRange(0, 4).Draw(t, "hops") {
			path = append(path, smallHop(t))
		}
		for range rapid.IntRange(1, 4).Draw(t, "packets") {
			d.enqueue(egress, ingress, path)
			d.compare()
		}
	}
	receive := func(t *rapid.T) {
		d.t = t
		f := Frame{
			Type: FrameType(rapid.IntRange(1, 4).Draw(t, "type")), Root: smallHop(t),
			Hop: uint8(rapid.IntRange(1, 7).Draw(t, "hop")),
		}
		if f.Type == Merge {
			if f.Old = smallHop(t); f.Old == f.Root {
				return
			}
		}
		d.receive(port.Draw(t, "port"), f)
		d.compare()
	}
	t.Repeat(map[string]func(*rapid.T){
		"enqueue":       enqueue,
		"enqueue again": enqueue,
		"receive":       receive,
		"receive again": receive,
		"serve": func(t *rapid.T) {
			d.t = t
			egress := port.Draw(t, "egress")
			for range rapid.IntRange(1, 6).Draw(t, "steps") {
				d.serve(egress)
				d.compare()
			}
		},
		"": func(t *rapid.T) {},
	})
}

func (d *pair) enqueue(egress, ingress int, path []sluice.Hop) {
	pkt := sluice.Packet{Size: 700, Ingress: sluice.PortID(ingress)}
	if ingress == modelLocal {
		pkt.Ingress = sluice.Local
	}
	pkt.Path.Append(sluice.Hop{Switch: 1, Port: sluice.PortID(egress)})
	for _, h := range path {
		pkt.Path.Append(h)
	}
	v := d.s.Port(sluice.PortID(egress)).Enqueue(d.now, &pkt)
	root, isolated := d.m.enqueue(egress, modelPacket{ingress, 700, path})
	d.sameQueue(egress, v, root, isolated)
	d.fifo[egress][v.Queue()] = append(d.fifo[egress][v.Queue()], pkt)
}

func (d *pair) receive(port int, f Frame) {
	d.sequence++
	f.Sequence = d.sequence
	d.s.Port(sluice.PortID(port)).Receive(d.now, &f)
	d.m.receive(port, &f)
}

// serve does what the switch's scheduler says, in both.
func (d *pair) serve(egress int) {
	p := d.s.Port(sluice.PortID(egress))
	q, ok := p.Next(d.now)
	if !ok {
		d.now += 500 * sluice.Nanosecond
		d.s.Expire(d.now)
		return
	}
	pkt := d.fifo[egress][q][0]
	d.fifo[egress][q] = d.fifo[egress][q][1:]
	if q == hiq.Output {
		if v := p.Dequeue(d.now, q, &pkt); v.Action() != sluice.Transmit {
			d.t.Fatalf("the OQ's head: %v", v)
		}
		d.m.dequeueOQ(egress)
		d.now += 700 * sluice.Nanosecond
		return
	}
	from := d.s.roots[pkt.Note&noteRoot].hop
	if state := d.m.trees[from].iqs[egress].state; state == hiq.Paused {
		d.t.Fatalf("the IQ of %v is to be served, and it is paused", from)
	}
	v := p.Dequeue(d.now, q, &pkt)
	root, isolated := d.m.dequeueIQ(egress, from)
	d.sameQueue(egress, v, root, isolated)
	d.fifo[egress][v.Queue()] = append(d.fifo[egress][v.Queue()], pkt)
}

// sameQueue compares a verdict with the root that the model chose.
func (d *pair) sameQueue(egress int, v sluice.Verdict, root sluice.Hop, isolated bool) {
	want := hiq.Output
	if isolated {
		if r := d.s.find(root); r >= 0 {
			want = d.s.ports[egress].iq.Queue(r)
		}
	}
	if v.Action() != sluice.Append || v.Queue() != want {
		d.t.Fatalf(
			"port %d: %v; the model chose %v, %v, which is queue %d", egress, v, root, isolated, want,
		)
	}
}

// compare drains frames and compares everything.
func (d *pair) compare() {
	var frames []string
	var f Frame
	for port := range d.s.ports {
		for d.s.ports[port].PollFrame(d.now, &f) {
			f.Sequence = 0
			frames = append(frames, fmt.Sprintf("port %d: %v", port, &f))
		}
	}
	want := d.m.sent()
	sort.Strings(frames)
	sort.Strings(want)
	if len(frames)+len(want) > 0 && !reflect.DeepEqual(frames, want) {
		d.t.Fatalf("frames %q, the model sends %q", frames, want)
	}
	if got, want := d.known(), d.m.known(); got != want {
		d.t.Fatalf("the switch knows\n%s\nthe model\n%s", got, want)
	}
	if err := d.s.Audit(); err != nil {
		d.t.Fatal(err)
	}
}

// known is what the switch knows, as text.
func (d *pair) known() string {
	s := ""
	for _, root := range d.s.Snapshot().Roots {
		s += fmt.Sprintf("%v level %d:", root.Root, root.Level)
		for _, q := range root.IQs {
			s += fmt.Sprintf(" iq %d %v level %d %d bytes", q.Port, q.State, q.Level, q.Bytes)
		}
		for _, u := range root.Upstreams {
			if u.State != Unlisted {
				s += fmt.Sprintf(" upstream %d %v", u.Port, u.State)
			}
		}
		s += "\n"
	}
	return s
}

func (m *model) known() string {
	remote, own := "", ""
	for _, root := range m.sorted() {
		t := m.trees[root]
		if len(t.iqs) == 0 && len(t.upstreams) == 0 {
			continue
		}
		s := fmt.Sprintf("%v level %d:", root, t.level)
		for e := range m.config.Ports {
			if q := t.iqs[e]; q != nil {
				s += fmt.Sprintf(" iq %d %v level %d %d bytes", e, q.state, q.level, bytesOf(q.packets, -1))
			}
		}
		for _, i := range m.listed(root) {
			s += fmt.Sprintf(" upstream %d %v", i, t.upstreams[i])
		}
		if m.isOwn(root) {
			own += s + "\n"
		} else {
			remote += s + "\n"
		}
	}
	return remote + own
}
