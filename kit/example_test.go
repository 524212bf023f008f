package kit_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

const rate = 100 * sluice.Gbps

// wires are the transmitters of a switch: what its driver asks for, and all that it asks for.
type wires struct {
	now   sluice.Time
	until [2]sluice.Time // when each transmitter is free
	store *kit.Store[string]
}

func (w *wires) Free(port sluice.PortID) bool { return w.now >= w.until[port] }

func (w *wires) Send(port sluice.PortID, h kit.Handle) {
	packet := w.store.At(h)
	w.until[port] = w.now + rate.TimeOf(packet.Size)
	fmt.Printf("%v: %s out of port %d\n", w.now, packet.Value, port)
	w.store.Release(h)
}

func (w *wires) SendFrame(port sluice.PortID, frame []byte, kind string) {
	w.until[port] = w.now + rate.TimeOf(sluice.Bytes(len(frame)))
	fmt.Printf("%v: %s out of port %d, %d bytes\n", w.now, kind, port, len(frame))
}

func (w *wires) Drop(port sluice.PortID, h kit.Handle, why sluice.Reason) {
	fmt.Printf("%v: %s dropped at port %d: %v\n", w.now, w.store.At(h).Value, port, why)
	w.store.Release(h)
}

// A switch of two ports under PFC: packets come in by port 0 faster than port 1 sends them. Another
// protocol is another New, here and nowhere else.
func Example() {
	port := pfc.PortConfig{
		Link: sluice.Link{Rate: rate}, Profile: pfc.Profile{XOff: 4500, XOn: 1500},
	}
	port.Headroom = port.HeadroomFor(1500, 0).Total
	machine, err := kit.WrapNew(pfc.New(pfc.Config{
		Ports: []pfc.PortConfig{port, port}, Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3),
	}))
	if err != nil {
		panic(err)
	}
	store, err := kit.NewStore[string](100) // of packets, each with a value of ours
	if err != nil {
		panic(err)
	}
	w := &wires{store: store}
	driver := kit.NewDriver(machine, store, w)

	for i := range 4 { // four packets come in by port 0 and are routed to port 1
		h, ok := store.Take()
		if !ok {
			panic("the store is full")
		}
		item := store.At(h)
		item.Value = fmt.Sprintf("packet %d", i)
		item.Packet = sluice.Packet{Size: 1500, Class: 3, Ingress: 0}
		driver.Enqueue(w.now, 1, h)
	}
	for store.Used() > 0 { // the transmitters are free again, and timers are served
		w.now += rate.TimeOf(1500)
		driver.Expire(w.now)
		driver.Ready(w.now, 0)
		driver.Ready(w.now, 1)
	}
	fmt.Println(driver.Err(), kit.Forgotten(machine))
	// Output:
	// 0ps: packet 0 out of port 1
	// 0ps: pause out of port 0, 60 bytes
	// 120ns: packet 1 out of port 1
	// 240ns: packet 2 out of port 1
	// 240ns: resume out of port 0, 60 bytes
	// 360ns: packet 3 out of port 1
	// <nil> <nil>
}
