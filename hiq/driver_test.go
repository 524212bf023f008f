package hiq

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// driver owns the packets around a Port, as a protocol does, and knows the slow way what must hold.
type driver struct {
	p       *Port
	single  bool
	roots   int
	now     sluice.Time
	due     sluice.Time // when Next has an answer again
	fifo    [][]held
	entered []int // by flow: number of the last packet that entered
	left    []int // by flow: number of the last packet that left
	paths   [][]int
	waiting int
}

// held is a packet in a queue.
type held struct {
	flow, number int
	size         sluice.Bytes
	root         int
	place        Place
}

// newDriver has flows with the given paths: roots from near to far.
func newDriver(c Config, paths [][]int) *driver {
	p, err := New(c)
	if err != nil {
		panic(err)
	}
	return &driver{
		p: p, single: c.SingleTier, roots: len(p.claims), fifo: make([][]held, p.Queues()),
		entered: make([]int, len(paths)), left: make([]int, len(paths)), paths: paths,
	}
}

func (d *driver) enqueue(flow int, size sluice.Bytes) {
	d.entered[flow]++
	d.waiting++
	d.route(held{flow: flow, number: d.entered[flow], size: size}, 0)
}

// route puts a packet into the IQ that comes next after a place in the order, or into the OQ.
func (d *driver) route(pkt held, after uint32) {
	if d.single {
		var set []uint16
		for _, root := range d.paths[pkt.flow] {
			if d.p.Order(root) != 0 {
				set = append(set, uint16(root))
			}
		}
		if len(set) > 0 {
			var q sluice.QueueID
			q, pkt.place = d.p.PutSet(set, pkt.size)
			d.fifo[q] = append(d.fifo[q], pkt)
			return
		}
	} else {
		best := -1
		for _, root := range d.paths[pkt.flow] {
			if o := d.p.Order(root); o > after && (best < 0 || o < d.p.Order(best)) {
				best = root
			}
		}
		if best >= 0 {
			pkt.root = best
			q := d.p.Put(best, pkt.size)
			d.fifo[q] = append(d.fifo[q], pkt)
			return
		}
	}
	d.p.PutOutput(pkt.size)
	d.fifo[Output] = append(d.fifo[Output], pkt)
}

// step takes what Next answers, once; false if it answers nothing.
func (d *driver) step() (bool, error) {
	q, ok := d.p.Next(d.now)
	if q2, ok2 := d.p.Next(d.now); q2 != q || ok2 != ok {
		return false, fmt.Errorf("Next answers (%d, %v), asked again (%d, %v)", q, ok, q2, ok2)
	}
	if !ok {
		due, opened := d.p.Park(d.now)
		if d.due = due; opened {
			return true, nil
		}
		return false, d.nothingSendable()
	}
	if len(d.fifo[q]) == 0 || !d.p.Sendable(q) {
		return false, fmt.Errorf(
			"Next answers queue %d, which has %d packets and is sendable: %v", q, len(d.fifo[q]),
			d.p.Sendable(q),
		)
	}
	pkt := d.fifo[q][0]
	d.fifo[q] = d.fifo[q][1:]
	if q == Output || d.single {
		if q == Output && !d.p.TakeOutput(pkt.size) || q != Output &&
			!d.p.TakeSet(q, pkt.place, pkt.size) {
			return false, fmt.Errorf("queue %d refuses its head", q)
		}
		if pkt.number <= d.left[pkt.flow] {
			return false, fmt.Errorf(
				"packet %d of flow %d left after packet %d", pkt.number, pkt.flow, d.left[pkt.flow],
			)
		}
		d.left[pkt.flow] = pkt.number
		d.waiting--
		d.now += d.p.lasts(pkt.size)
		return true, nil
	}
	order := d.p.Order(pkt.root)
	if !d.p.Take(d.now, q, pkt.root, pkt.size) {
		return false, fmt.Errorf("queue %d refuses its head", q)
	}
	d.route(pkt, order)
	return true, nil
}

func (d *driver) nothingSendable() error {
	for q := range d.fifo {
		if len(d.fifo[q]) > 0 && d.p.Sendable(sluice.QueueID(q)) {
			return fmt.Errorf("queue %d has packets and is sendable, and Next answers nothing", q)
		}
	}
	return nil
}

// drain serves until nothing may go, waiting when Due says so.
func (d *driver) drain() error {
	for {
		ok, err := d.step()
		if err != nil {
			return err
		}
		if ok {
			continue
		}
		due := d.due
		if due == sluice.Never {
			return nil
		}
		if due <= d.now {
			return fmt.Errorf("Next answers nothing at %v, and Park says %v", d.now, due)
		}
		d.now = due
		if _, opened := d.p.Park(due); !opened {
			return fmt.Errorf("at %v nothing is opened", due)
		}
	}
}

// check compares the port with the packets, and asks of every packet whether it is held for a
// root off its path.
func (d *driver) check() error {
	if err := d.p.Audit(); err != nil {
		return err
	}
	waits := make([]sluice.Bytes, d.roots)
	for q, fifo := range d.fifo {
		var bytes sluice.Bytes
		for _, pkt := range fifo {
			bytes += pkt.size
			if q == 0 {
				continue
			}
			roots := []uint16{uint16(pkt.root)}
			if d.single {
				roots = d.p.RootsOf(pkt.place)
			}
			for _, root := range roots {
				waits[root] += pkt.size
			}
		}
		if bytes != d.p.Backlog(sluice.QueueID(q)) || len(fifo) != d.p.Packets(sluice.QueueID(q)) {
			return fmt.Errorf(
				"queue %d has %d packets of %d bytes, the port says %d of %d", q, len(fifo), bytes,
				d.p.Packets(sluice.QueueID(q)), d.p.Backlog(sluice.QueueID(q)),
			)
		}
	}
	for root, n := range waits {
		if n != d.p.Bytes(root) {
			return fmt.Errorf("%d bytes wait for root %d, the port says %d", n, root, d.p.Bytes(root))
		}
	}
	if oq := d.p.queues[Output]; oq.owners != 0 || oq.held != 0 {
		return fmt.Errorf("the OQ has %d owners and is held for %d reasons", oq.owners, oq.held)
	}
	return d.checkBlocking()
}

// checkBlocking: a packet is held only while a root on its path is paused or, in a single tier,
// while packets wait whose roots are all on its path too. Once IQs were shared, there is nothing
// to check.
func (d *driver) checkBlocking() error {
	if d.p.counts.Shared > 0 {
		return nil
	}
	for q := 1; q < len(d.fifo); q++ {
		if d.p.queues[q].held == 0 {
			continue
		}
		for _, pkt := range d.fifo[q] {
			if !d.pausedOn(pkt.flow) && !(d.single && d.subsetWaits(q, pkt.flow)) {
				return fmt.Errorf(
					"packet %d of flow %d, by %v, is held in queue %d, and no root on its path is paused",
					pkt.number, pkt.flow, d.paths[pkt.flow], q,
				)
			}
		}
	}
	return nil
}

func (d *driver) pausedOn(flow int) bool {
	for _, root := range d.paths[flow] {
		if d.p.State(root) == Paused {
			return true
		}
	}
	return false
}

func (d *driver) subsetWaits(q, flow int) bool {
	for other := range d.fifo {
		if other == q || len(d.fifo[other]) == 0 {
			continue
		}
		if other == int(Output) {
			return true
		}
		all := true
		for _, root := range d.p.RootsOf(d.fifo[other][0].place) {
			on := false
			for _, r := range d.paths[flow] {
				on = on || r == int(root)
			}
			all = all && on
		}
		if all {
			return true
		}
	}
	return false
}

// finish resumes every root and drains: everything must leave and every IQ be given back.
func (d *driver) finish() error {
	for root := range d.roots {
		if d.p.State(root) == Paused {
			d.p.Resume(root)
		}
	}
	if err := d.drain(); err != nil {
		return err
	}
	if d.waiting != 0 {
		return fmt.Errorf("%d packets are stuck", d.waiting)
	}
	for again := true; again; {
		again = false
		for root := range d.roots {
			if d.p.State(root) != Unassigned {
				_, ok := d.p.Free(root)
				again = again || ok
			}
		}
	}
	if err := d.check(); err != nil {
		return err
	}
	if d.p.InUse() != 0 {
		return fmt.Errorf("%d IQs are assigned at the end", d.p.InUse())
	}
	return nil
}

// event does one of the things that can happen to a root.
func (d *driver) event(kind, root, other, level int) {
	switch kind {
	case 0, 1:
		d.p.Pause(root, uint64(root)*977, level)
	case 2, 3:
		d.p.Resume(root)
	case 4:
		if root != other && d.p.Adopt(other, uint64(other)*977, level) {
			d.p.Merge(root, other)
		}
	case 5:
		d.p.Free(root)
	case 6:
		d.p.Merge(root, -1)
	}
}
