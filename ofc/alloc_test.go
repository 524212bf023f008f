package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestZeroAlloc: no hook allocates, on any of its ways.
func TestZeroAlloc(t *testing.T) {
	port := PortConfig{Link: link40, XOff: 12_000, XOffCongested: 8000, XOn: 4000, Headroom: 15_000}
	ports := []PortConfig{port, port}
	for name, c := range map[string]Config{
		"paper":   {Ports: ports},
		"refresh": {Ports: ports, Refresh: sluice.Microsecond, MaxFlowsPerFrame: 2},
		"small":   {Ports: ports, Flows: 4, Speedup: 1, Quantum: 1500},
		"host":    HostConfig(link40),
	} {
		t.Run(name, func(t *testing.T) {
			d := newAllocDriver(t, c)
			d.round()
			require.Zero(t, testing.AllocsPerRun(50, d.round))
			require.NoError(t, d.s.Audit())
			sum := d.s.Counters()
			require.NotZero(t, sum.Moved)
			require.NotZero(t, sum.Rotations)
			require.NotZero(t, sum.Misuse)
			if d.s.Ports() > 1 {
				require.NotZero(t, sum.Overruns+sum.Fallbacks)
				require.NotZero(t, sum.Resumes)
				require.NotZero(t, sum.Dropped[sluice.HeadroomExhausted])
			}
			if name == "small" {
				require.NotZero(t, sum.Untracked)
			}
		})
	}
}

// allocDriver takes a switch by every way.
type allocDriver struct {
	s        *Switch
	in       sluice.PortID
	packets  []sluice.Packet
	fifo     [QueuesPerClass * sluice.Classes][]int
	frame    Frame
	sequence uint32
	buffer   []byte
	now      sluice.Time
}

func newAllocDriver(t *testing.T, c Config) *allocDriver {
	d := &allocDriver{
		s: mustNew(t, c), packets: make([]sluice.Packet, 64), buffer: make([]byte, 0, 2000),
	}
	if d.s.Ports() == 1 {
		d.in = sluice.Local
	}
	for q := range d.fifo {
		d.fifo[q] = make([]int, 0, 1024)
	}
	return d
}

func (d *allocDriver) round() {
	out := d.s.Port(sluice.PortID(d.s.Ports() - 1))
	for i := range d.packets {
		d.packets[i] = sluice.Packet{
			Flow: uint64(i % 9), Size: 1000, Ingress: d.in, Class: sluice.Class(i & 1),
		}
		if v := out.Enqueue(d.now, &d.packets[i]); v.Action() == sluice.Append {
			d.fifo[v.Queue()] = append(d.fifo[v.Queue()], i)
		}
		d.poll()
	}
	d.tell(out, Pause, 0, 0)
	d.drain(out, 6)
	d.tell(out, Resume, 0, 0)
	d.drain(out, 2)
	d.tell(out, Pause, 0, 1, 2, 8)
	d.drain(out, 20)
	d.tell(out, Pause, 0)
	d.tell(out, Resume, 0)
	d.tell(out, Resume, 0, 1, 2)
	d.drain(out, 3)
	d.tell(out, Pause, 0, 3)
	d.tell(out, Resume, 0, 8)
	d.tell(out, Refresh, 0, 3, 4)
	d.drain(out, 200)
	out.LinkDown(d.now)
	out.LinkUp(d.now)
	d.drain(out, 200)
	out.Enqueue(d.now, &sluice.Packet{Class: 9})
	out.Dequeue(d.now, 77, &d.packets[0])
	out.Dequeue(d.now, 0, &sluice.Packet{})
	out.ReceiveWire(d.now, d.buffer[:30])
	d.s.Rebase(sluice.Nanosecond)
	d.s.Counters()
	out.State(0)
	out.Tables()
	out.Sendable(0)
	out.FlowPaused(0, 1)
}

// drain takes a number of packets off, moves included, and serves timers when no packet may leave.
func (d *allocDriver) drain(p *Port, packets int) {
	for range packets {
		q, ok := p.Next(d.now)
		if !ok {
			d.now += sluice.Microsecond
			d.s.Expire(d.now)
			d.poll()
			continue
		}
		i := d.fifo[q][0]
		copy(d.fifo[q], d.fifo[q][1:])
		d.fifo[q] = d.fifo[q][:len(d.fifo[q])-1]
		if v := p.Dequeue(d.now, q, &d.packets[i]); v.Action() == sluice.Append {
			d.fifo[v.Queue()] = append(d.fifo[v.Queue()], i)
		}
		d.poll()
	}
}

// tell hands a port a frame about class 0, by the wire.
func (d *allocDriver) tell(p *Port, kind Type, flows ...uint64) {
	d.sequence += 1 << 16
	f := &d.frame
	*f = Frame{Type: kind, Sequence: d.sequence, All: len(flows) == 1}
	if kind == Refresh {
		f.Parts, f.Generation, f.All = 1, d.sequence, false
	}
	for _, flow := range flows[1:] {
		f.add(flow)
	}
	d.buffer = f.AppendTo(d.buffer[:0])
	if _, err := p.ReceiveWire(d.now, d.buffer); err != nil {
		panic(err)
	}
}

func (d *allocDriver) poll() {
	for i := range d.s.Ports() {
		for p := d.s.Port(sluice.PortID(i)); p.PollFrame(d.now, &d.frame); {
			d.buffer = d.frame.AppendTo(d.buffer[:0])
			if err := d.frame.Parse(d.buffer); err != nil {
				panic(err)
			}
		}
	}
	d.s.PollPort()
}
