package replay_test

import (
	"fmt"
	"log"
	"net/netip"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

// Flows are hashes of five-tuples: here two CRCs side by side.
const (
	pausedFlow = 0xA1B2C3D4_00000001
	otherFlow  = 0xB5A69788_00000002
	storyClass = 3
)

func ExampleOFC() {
	if err := ofcStory(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// changed: MaxFlowsPerFrame becomes 1
	// 7 tables, 25 registers: at least 60 of 1600 blocks
	// with its entries:
	// pause class 3 [a1b2c3d400000001]
	// A moves from queue 9 to 10
	// B leaves by queue 9
	// A moves from queue 9 to 10
	// B leaves by queue 9
	// resume class 3 [a1b2c3d400000001] last
	// A leaves by queue 10
	// A leaves by queue 10
	// A leaves by queue 9
	// the program decided as the machine did, in all 14 inputs
	// with a word of the wrong queue:
	// pause class 3 [a1b2c3d400000001]
	// A moves from queue 9 to 10
	// B leaves by queue 9
	// A moves from queue 9 to 10
	// B leaves by queue 9
	// resume class 3 [a1b2c3d400000001] last
	// A leaves by queue 10
	// A leaves by queue 10
	// A leaves by queue 9
	// replay: input 6, Receive at 0ps: port 1: gate of port 1, que...
}

// ofcStory makes the program of an OFC switch for the Tofino 2 and runs it beside the machine.
//
// A packet of a paused flow that comes out of its queue goes round by the recirculation port into
// another queue, which is held; a frame that resumes the flow goes round behind it, and has that
// queue served first. Here flow A is paused while packets of flows A and B wait, and resumed. A tap
// compares each decision with the machine's. Then the same with a word of flow control that
// names the wrong queue.
func ofcStory() error {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	asked := ofc.Config{Ports: []ofc.PortConfig{{Link: link}, {Link: link}}}
	machine, changes, err := tofino.RealiseOFC(asked)
	if err != nil {
		return err
	}
	printChanges(changes)
	routes := []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.1.1")}
	c := tofino.OFCConfig{Machine: machine, Site: tofino.Site{Ports: []chip.DevPort{136, 144}}}
	for at, to := range routes {
		c.Routes = append(c.Routes, tofino.Route{To: netip.PrefixFrom(to, 32), Port: sluice.PortID(at)})
	}
	made, err := tofino.NewOFC(c)
	if err != nil {
		return err
	}
	printCost(made.Program, made.Config)

	fmt.Println("with its entries:")
	if err := ofcReplayed(made, routes); err != nil {
		return err
	}
	fmt.Println("with a word of the wrong queue:")
	for _, filled := range made.Config.Tables {
		if filled.Table.Name == "afc" {
			word := &filled.Entries[24+3*storyClass+1].Data[0] // of port 1, first backup queue
			*word = ir.Uint(word.Lo + 1<<15)
		}
	}
	return ofcReplayed(made, routes)
}

// ofcReplayed lets packets of two flows wait at port 1 and go, one flow paused for a while, and
// prints by which queue each leaves.
func ofcReplayed(made *tofino.OFC, routes []netip.Addr) error {
	config, err := replay.OFC(made, routes)
	if err != nil {
		return err
	}
	tap, err := replay.New(config)
	if err != nil {
		return err
	}
	store, err := kit.NewStore[struct{}](10)
	if err != nil {
		return err
	}
	d := &ofcDevice{Tap: tap, store: store}
	d.driver = kit.NewDriver(d, store, d)
	for _, flow := range []uint64{pausedFlow, otherFlow, pausedFlow, otherFlow, pausedFlow} {
		h, _ := store.Take()
		store.At(h).Packet = sluice.Packet{Flow: flow, Size: 1000, Class: storyClass}
		d.driver.Enqueue(0, 1, h)
	}
	d.receive(ofc.Pause, 1)
	d.send(2)
	d.receive(ofc.Resume, 2)
	d.send(3)
	if err := tap.Check(); err != nil {
		lines := strings.SplitN(err.Error(), "\n", 2)
		fmt.Printf("%.60s...\n", lines[0])
		return nil
	}
	fmt.Println("the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}

// ofcDevice is the machine with the program beside it, and where its driver sends.
type ofcDevice struct {
	*replay.Tap
	store  *kit.Store[struct{}]
	driver *kit.Driver[struct{}]
	sends  int // packets that port 1 takes
}

// receive takes in a frame of the device behind port 1 that pauses or resumes flow A.
func (d *ofcDevice) receive(kind ofc.Type, sequence uint32) {
	f := ofc.Frame{Type: kind, Sequence: sequence, Class: storyClass, Count: 1}
	f.Keys[0], f.Last = pausedFlow, kind == ofc.Resume
	fmt.Printf("%v\n", f)
	_ = d.driver.Receive(0, 1, f.AppendTo(nil))
}

// send lets at most the given packets leave.
func (d *ofcDevice) send(packets int) {
	d.sends = packets
	d.driver.Ready(0, 1)
	d.sends = 0
}

var flowNames = map[uint64]string{pausedFlow: "A", otherFlow: "B"}

// Dequeue shows a move.
func (d *ofcDevice) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := d.Tap.Dequeue(now, port, q, p)
	if v.Action() == sluice.Append {
		fmt.Printf("%s moves from queue %d to %d\n", flowNames[p.Flow], q, v.Queue())
	}
	return v
}

// Free, Send, SendFrame and Drop are the transmitter of port 1.
func (d *ofcDevice) Free(port sluice.PortID) bool { return port == 1 && d.sends > 0 }

func (d *ofcDevice) Send(_ sluice.PortID, h kit.Handle) {
	p := d.store.At(h)
	fmt.Printf("%s leaves by queue %d\n", flowNames[p.Flow], p.UpstreamQueue)
	d.store.Release(h)
	d.sends--
}

func (d *ofcDevice) SendFrame(_ sluice.PortID, _ []byte, kind string)      { log.Fatal(kind) }
func (d *ofcDevice) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }
