package main

import (
	"runtime"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/kit"
	"golang.org/x/sys/unix"
)

// node is a switch, or a host with its network card. It runs in a goroutine of its own and shares
// no state with others: they write to its mailbox.
type node struct {
	*place
	settings settings
	plan     *plan
	shim     bool // on packets

	clock  clock
	now    sluice.Time // of this round
	store  *kit.Store[[]byte]
	driver *kit.Driver[[]byte]
	routes *hashpath.Cache
	ports  []port

	sources   []source
	sinks     []sink
	stray     uint64
	headers   headers
	scratch   []byte
	lookLinks sluice.Time // when to look at the links
	latest    time.Duration
	stalls    uint64

	mailbox
	files []unix.PollFd // sockets of the ports, and the bell of the mailbox
	done  bool
}

// port is the embedder's side of a port.
type port struct {
	portCounters
	socket wire
	free   sluice.Time // when the transmitter is
	busy   bool        // it sent something, and Ready is due at free
	taken  int         // packets in the store that came in by it
	frames map[string]uint64

	down      bool
	downSince sluice.Time
}

// newNode makes a node that is not yet connected to anything.
func newNode(p *plan, at *place, s settings) (*node, error) {
	machine, err := protocols[s.protocol](&site{&s, at, p.network})
	if err != nil {
		return nil, err
	}
	n := &node{
		place: at, settings: s, plan: p, shim: s.protocol == "bfc",
		ports: make([]port, len(at.peers)), scratch: make([]byte, maxFrame+8),
		sinks: make([]sink, len(p.flows)),
	}
	for i := range n.ports {
		n.ports[i].frames = map[string]uint64{}
	}
	if n.routes, err = p.routes(); err != nil {
		return nil, err
	}
	packets := len(at.peers)*(int(s.share())/s.size+64) + len(p.flows)
	if n.store, err = newStore(packets); err != nil {
		return nil, err
	}
	n.driver = kit.NewDriver(machine, n.store, n)
	for f, flow := range p.flows {
		if flow.from == at.id {
			n.addSource(f)
		}
		if flow.to == at.id {
			n.sinks[f] = newSink(f, flow)
		}
	}
	return n, nil
}

// run is the goroutine.
func (n *node) run() {
	runtime.LockOSThread()
	defer close(n.closed)
	n.clock = clock{time.Now(), n.settings.day}
	for !n.done {
		n.round()
	}
}

// round waits until there is something to do, and does it. What came in is read first: a pause that
// waits while ports send makes the link longer, and a timer that is due may have become void by a
// frame that came before.
func (n *node) round() {
	due := n.due()
	sleep(n.files, n.clock.until(due))
	late := -n.clock.until(due)
	if n.latest = max(n.latest, late); late > n.settings.delays.worst {
		n.stalls++
	}
	n.now = n.clock.now(n.rebase)
	n.receive()
	if n.files[len(n.ports)].Revents != 0 {
		n.readMail()
	}
	n.watchLinks()
	n.driver.Expire(n.now)
	n.transmit()
	n.generate()
}

// due is when something is to be done though nothing comes in. A node that is late for it was not
// scheduled.
func (n *node) due() sluice.Time {
	due := min(n.driver.Deadline(), n.lookLinks)
	for i := range n.ports {
		if p := &n.ports[i]; p.busy {
			due = min(due, p.free)
		}
	}
	return due
}

// rebase moves the origin of everything that is a time.
func (n *node) rebase(by sluice.Time) {
	n.driver.Rebase(by)
	n.lookLinks -= by
	for i := range n.ports {
		n.ports[i].free -= by
		n.ports[i].downSince -= by
	}
}
