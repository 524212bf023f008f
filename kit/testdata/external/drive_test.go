package embedder_test

import (
	"fmt"
	"testing"

	"example.com/embedder/onoff"
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/hybrid"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 500 * sluice.Nanosecond}

// machines has a switch of three ports of every protocol.
var machines = map[string]func() (kit.Machine, error){
	"pfc":        func() (kit.Machine, error) { return kit.WrapNew(pfc.New(pfcConfig())) },
	"bfc":        func() (kit.Machine, error) { return kit.WrapNew(bfc.New(bfcConfig())) },
	"pyrrha":     func() (kit.Machine, error) { return kit.WrapNew(pyrrha.New(pyrrhaConfig())) },
	"pyrrha+pfc": func() (kit.Machine, error) { return both() },
	"ofc":        func() (kit.Machine, error) { return kit.WrapNew(ofc.New(ofcConfig())) },
	"cbfc":       func() (kit.Machine, error) { return kit.WrapNew(cbfc.New(cbfcConfig())) },
	"portfc":     func() (kit.Machine, error) { return kit.WrapNew(portfc.New(portfcConfig())) },
	"onoff":      func() (kit.Machine, error) { return onoff.New(3, 20_000, 10_000, 100_000), nil },
}

func pfcConfig() pfc.Config {
	port := pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: 20_000, XOn: 10_000}}
	port.Headroom = port.HeadroomFor(1500, 0).Total
	return pfc.Config{Ports: []pfc.PortConfig{port, port, port}, Buffer: sluice.MiB}
}

func bfcConfig() bfc.Config {
	port := bfc.PortConfig{Link: link, UpstreamQueues: 32}
	return bfc.Config{Ports: []bfc.PortConfig{port, port, port}, Queues: 32}
}

func pyrrhaConfig() pyrrha.Config {
	port := pyrrha.PortConfig{Link: link}
	return pyrrha.Config{Switch: 7, Ports: []pyrrha.PortConfig{port, port, port}, IQs: 8}
}

func ofcConfig() ofc.Config {
	port := ofc.PortConfig{Link: link, XOff: 20_000}
	return ofc.Config{Ports: []ofc.PortConfig{port, port, port}}
}

func cbfcConfig() cbfc.Config {
	port := cbfc.PortConfig{Link: link, Buffer: 100_000, PeerBuffer: 100_000}
	return cbfc.Config{Ports: []cbfc.PortConfig{port, port, port}, MTU: 1500}
}

// A switch of a network of nine nodes, and the rest of the way from the node at a port of the
// switch to the one at port 2.
var (
	network   = portfc.NDC{N: 3, K: 1}
	ndcSwitch = network.SwitchOf(0, 0)
)

func portfcConfig() portfc.Config { return portfc.SwitchConfig(network, ndcSwitch, link) }

func pathFrom(ingress sluice.PortID) sluice.Path {
	path, _ := network.Path(network.NodeAt(ndcSwitch, int(ingress)), network.NodeAt(ndcSwitch, 2), 0)
	path.Advance() // it has left the node
	return path
}

func both() (kit.Machine, error) {
	below, err := pfc.New(pfcConfig())
	if err != nil {
		return nil, err
	}
	above, err := pyrrha.New(pyrrhaConfig())
	if err != nil {
		return nil, err
	}
	return hybrid.New(below, above)
}

// output counts what a driver sends. Transmitters take no time.
type output struct {
	store  *kit.Store[int]
	last   map[uint64]int // by flow: the number of the last packet sent
	sent   int
	frames map[string]int
	free   bool
	fault  error
}

func (o *output) Free(port sluice.PortID) bool { return o.free || port != 2 }

func (o *output) Send(_ sluice.PortID, h kit.Handle) {
	item := o.store.At(h)
	if item.Value != o.last[item.Flow]+1 {
		o.fault = fmt.Errorf("packet %d of flow %d after %d", item.Value, item.Flow, o.last[item.Flow])
	}
	o.last[item.Flow] = item.Value
	o.sent++
	o.store.Release(h)
}

func (o *output) SendFrame(_ sluice.PortID, _ []byte, kind string) { o.frames[kind]++ }

func (o *output) Drop(_ sluice.PortID, h kit.Handle, why sluice.Reason) {
	o.fault = fmt.Errorf("dropped: %v", why)
	o.store.Release(h)
}

// TestOneDriverRunsAll: two ports send to the third, which is blocked for a while: every protocol
// tells upstream, loses nothing and keeps the order.
func TestOneDriverRunsAll(t *testing.T) {
	for name, build := range machines {
		t.Run(name, func(t *testing.T) {
			machine, err := build()
			if err != nil {
				t.Fatal(err)
			}
			store, err := kit.NewStore[int](1000)
			if err != nil {
				t.Fatal(err)
			}
			o := &output{store: store, last: map[uint64]int{}, frames: map[string]int{}}
			driver := kit.NewDriver(machine, store, o)
			const packets = 30
			now := sluice.Time(0)
			for number := 1; number <= packets; number++ {
				for ingress := range sluice.PortID(2) {
					h, _ := store.Take()
					item := store.At(h)
					item.Packet = sluice.Packet{Flow: uint64(ingress), Size: 1500, Ingress: ingress}
					item.UpstreamQueue = sluice.QueueID(ingress)
					item.Value = number
					if name == "portfc" {
						item.Path = pathFrom(ingress)
					}
					driver.Enqueue(now, 2, h)
				}
				now += 100 * sluice.Nanosecond
				if driver.Deadline() <= now {
					driver.Expire(now)
				}
			}
			if len(o.frames) == 0 {
				t.Error("no port sent a frame")
			}
			o.free = true
			driver.Ready(now, 2)
			if o.fault != nil || o.sent != 2*packets || driver.Err() != nil {
				t.Errorf("sent %d of %d: %v, %v", o.sent, 2*packets, o.fault, driver.Err())
			}
			if machine.Buffered() != 0 {
				t.Errorf("%d bytes are left", machine.Buffered())
			}
		})
	}
}
