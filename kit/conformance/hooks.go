package conformance

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"pgregory.net/rapid"
)

// driver is one machine, its twin, and what surrounds them: flows and frames seen.
type driver struct {
	*embedder
	t      *rapid.T
	spec   *Spec
	make   func() kit.Machine
	flows  []flow
	frames []seenFrame
}

type flow struct {
	template sluice.Packet
	port     sluice.PortID
}

type seenFrame struct {
	kind  string
	bytes []byte
}

func checkHooks(tb rapid.TB, spec *Spec) {
	checkDecisions(tb, spec, func(d *driver, t *rapid.T) {
		d.guard(d.checkReplay)
		d.report(t)
	})
}

func checkDecisions(tb rapid.TB, spec *Spec, then func(*driver, *rapid.T)) {
	c := &coverage{}
	rapid.Check(c.watch(tb), func(t *rapid.T) {
		d := newDriver(t, spec, c)
		d.report(t)
		d.act()
		then(d, t)
	})
	c.judge(tb)
}

func newDriver(t *rapid.T, given *Spec, c *coverage) *driver {
	spec := given.complete()
	d := &driver{t: t, spec: spec}
	r := newRun(spec, c)
	c.checks++
	d.embedder = &embedder{run: r}
	r.guard(func() {
		d.make = spec.New(t)
		d.embedder = newEmbedder(r, "", d.make(), d.make())
		d.now = sluice.Time(rapid.SampledFrom([]int64{0, 0, 1_000_000_000_000}).Draw(t, "start"))
		d.mayDrop = spec.MayDrop
		d.frame = func(at sluice.PortID, kind string, frame []byte) {
			d.ports[at].busy = true
			d.frames = append(d.frames, seenFrame{kind, frame})
		}
		for range rapid.IntRange(1, 6).Draw(t, "flows") {
			d.flows = append(d.flows, d.drawFlow())
		}
	})
	return d
}

func (d *driver) drawFlow() flow {
	at := d.drawPort()
	return flow{d.spec.Flow(d.t, d.m, at), at}
}

func (d *driver) drawPort() sluice.PortID {
	return sluice.PortID(rapid.IntRange(0, len(d.ports)-1).Draw(d.t, "port"))
}

func (d *driver) drawPacket(f *flow) sluice.Packet {
	p := f.template
	d.spec.Packet(d.t, d.m, &p)
	return p
}

// rounds is how many times -rapid.steps actions make a check: thresholds and timers want longer
// sequences than rapid's default.
const rounds = 6

func (d *driver) act() {
	actions := d.actions()
	for range rounds {
		d.t.Repeat(actions)
	}
}

// actions are an embedder's and its network's possible actions at any moment, drawn by weight.
func (d *driver) actions() map[string]func(*rapid.T) {
	actions := map[string]func(*rapid.T){}
	add := func(weight int, name string, action func()) {
		for i := range weight {
			actions[fmt.Sprint(name, i)] = func(t *rapid.T) {
				d.t = t
				d.guard(func() {
					action()
					d.skew = 0
					d.service()
					d.checkAll()
				})
			}
		}
	}
	add(3, "enqueue", d.enqueueSome)
	add(2, "burst", d.enqueueBurst)
	add(2, "transmitted", d.transmitted)
	add(2, "transmitted much", d.transmittedMuch)
	add(2, "advance", d.advance)
	add(2, "expire", d.expireDue)
	add(2, "frame", d.receiveFrame)
	add(1, "garbage", d.receiveGarbage)
	add(1, "malformed", d.enqueueMalformed)
	add(1, "misuse", d.dequeueNothing)
	add(1, "early", d.expireEarly)
	add(1, "peek", d.peek)
	add(1, "poll", d.pollAll)
	add(1, "link", d.changeLink)
	add(1, "rebase", d.rebase)
	add(1, "copy", d.goOnWithACopy)
	if kit.Consumes(d.m) {
		add(2, "consume", d.consumeSome)
	}
	actions[""] = d.report
	return actions
}

func (d *driver) enqueueSome() {
	f := rapid.IntRange(0, len(d.flows)-1).Draw(d.t, "flow")
	d.drawSkew()
	d.enqueue(d.flows[f].port, f, d.drawPacket(&d.flows[f]))
}

func (d *driver) consumeSome() {
	f := rapid.IntRange(0, len(d.flows)-1).Draw(d.t, "flow")
	p := d.drawPacket(&d.flows[f])
	p.Ingress = d.drawPort()
	d.drawSkew()
	d.consume(p.Ingress, p)
}

// enqueueBurst is many equal packets of one flow at one instant, for thresholds.
func (d *driver) enqueueBurst() {
	f := rapid.IntRange(0, len(d.flows)-1).Draw(d.t, "flow")
	p := d.drawPacket(&d.flows[f])
	for range rapid.SampledFrom([]int{2, 4, 8, 16, 24}).Draw(d.t, "packets") {
		d.enqueue(d.flows[f].port, f, p)
		d.service()
	}
}

// transmitted is the end of a transmission. Like every action it does nothing where there is
// nothing to do: if it skipped instead, a fuzzer's bytes that ask for it again and again would
// count as a failure.
func (d *driver) transmitted() {
	if at, ok := d.drawBusy(); ok {
		d.drawSkew()
		d.release(at)
	}
}

func (d *driver) transmittedMuch() {
	if !slices.ContainsFunc(d.ports, func(p port) bool { return p.busy }) {
		return
	}
	n := rapid.SampledFrom([]int{2, 4, 8, 16, 24}).Draw(d.t, "transmissions")
	for i := range d.ports {
		for k := 0; k < n && d.ports[i].busy; k++ {
			d.release(sluice.PortID(i))
			d.service()
		}
	}
}

func (d *driver) release(at sluice.PortID) {
	d.ports[at].busy = false
	d.pull(at)
}

// pollAll polls the frames of a port until there is none, as if they took no time on the wire.
func (d *driver) pollAll() {
	at, ok := d.drawBusy()
	if !ok {
		return
	}
	for range d.frameLimit {
		d.ports[at].busy = false
		if !d.poll(at) {
			d.ports[at].kicked = true
			return
		}
	}
	d.fail(bounded, "PollFrame: what clears the frame it built", "port %d gave %d frames in a row",
		at, d.frameLimit)
}

func (d *driver) drawBusy() (sluice.PortID, bool) {
	return d.drawAmong("busy port", func(p *port) bool { return p.busy })
}

// drawAmong draws a port for which so is true, if there is any.
func (d *driver) drawAmong(what string, so func(*port) bool) (sluice.PortID, bool) {
	var ports []sluice.PortID
	for i := range d.ports {
		if so(&d.ports[i]) {
			ports = append(ports, sluice.PortID(i))
		}
	}
	if len(ports) == 0 {
		return 0, false
	}
	return rapid.SampledFrom(ports).Draw(d.t, what), true
}

// advance lets time pass: a bit, a lot, to a deadline, beyond it.
func (d *driver) advance() {
	deadline := d.deadline()
	span := sluice.Time(rapid.SampledFrom([]int64{
		1, 1_000, 100_000, 1_000_000, 20_000_000, 1_000_000_000,
	}).Draw(d.t, "picoseconds"))
	to := d.now + span
	if deadline != sluice.Never && deadline > d.now {
		switch rapid.IntRange(0, 3).Draw(d.t, "towards the deadline") {
		case 1:
			to = deadline - 1
		case 2:
			to = deadline
		case 3:
			to = deadline.Add(span)
		}
	}
	d.now = max(d.now, to)
	if rapid.IntRange(0, 3).Draw(d.t, "served in time") > 0 && d.deadline() <= d.now {
		d.expire()
	}
}

func (d *driver) expireDue() {
	deadline := d.deadline()
	if deadline == sluice.Never {
		return // no timer runs
	}
	d.now = max(d.now, deadline)
	d.expire()
}

// receiveFrame delivers a frame that the machine sent earlier, wherever it does not belong, or
// a frame of the enemy's.
func (d *driver) receiveFrame() {
	if d.spec.Frame == nil && len(d.frames) == 0 {
		return // no frame was seen yet
	}
	at := d.drawPort()
	own := len(d.frames) > 0 && (d.spec.Frame == nil || rapid.Bool().Draw(d.t, "own"))
	if !own {
		frame := d.spec.Frame(d.t, d.m, at)
		d.drawSkew()
		d.coverage.hostile++
		if d.receive(at, "hostile", frame) == nil {
			d.coverage.accepted++
		}
		return
	}
	f := d.frames[rapid.IntRange(0, len(d.frames)-1).Draw(d.t, "frame")]
	d.drawSkew()
	if err := d.receive(at, f.kind, f.bytes); err != nil {
		d.fail(noLostWake, "AppendTo and Parse: they do not agree",
			"the machine refused its own frame: %v", err)
	}
}

func (d *driver) drawSkew() {
	if rapid.IntRange(0, 9).Draw(d.t, "time goes back") == 9 {
		d.skew = sluice.Time(rapid.SampledFrom([]int64{
			1, 1_000_000, 1_000_000_000_000,
		}).Draw(d.t, "by picoseconds"))
	}
}
