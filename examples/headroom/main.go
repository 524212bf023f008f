// Headroom shows what losslessness costs in buffer, and what thresholds come out of the rest.
//
// The first table is pfc.Headroom, the bytes to set apart for each port and lossless class, for
// packets of up to 1,518 bytes and a peer that takes as long to obey as IEEE 802.3 lets it. The
// second puts 64 such ports into 16 MiB: what is left is the pool that all share, and pfc.New
// refuses what does not fit. The third lets ingresses of a switch fill up, all at the same pace,
// until all are paused: the dynamic threshold is Alpha times what is free of the pool, so the more
// of them are congested, the earlier each is paused.
package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

const (
	mtu    = 1518 * sluice.Byte
	buffer = 16 * sluice.MiB
	ports  = 64
	metres = 100 // of the second and third table
)

var rates = []sluice.Rate{
	10 * sluice.Gbps, 25 * sluice.Gbps, 100 * sluice.Gbps, 200 * sluice.Gbps, 400 * sluice.Gbps,
	800 * sluice.Gbps,
}

func main() {
	printHeadroom()
	printPool()
	printThresholds()
}

// newSwitch returns a switch of equal ports, whose lossless classes are 0 and up.
func newSwitch(rate sluice.Rate, classes int, alpha sluice.Ratio) (*pfc.Switch, error) {
	port := pfc.PortConfig{
		Link:    sluice.Link{Rate: rate, Delay: pfc.Cable(metres)},
		Profile: pfc.Profile{Alpha: alpha, ResumeOffset: 3 * sluice.KiB},
	}
	port.Headroom = port.HeadroomFor(mtu, 0)
	config := pfc.Config{Buffer: buffer, Classes: 1<<classes - 1}
	for range ports {
		config.Ports = append(config.Ports, port)
	}
	return pfc.New(config)
}

func printHeadroom() {
	lengths := []int{3, 30, 100, 300, 2000}
	fmt.Println("headroom of a port and class, in bytes, by length of the cable")
	fmt.Printf("%8s", "")
	for _, m := range lengths {
		fmt.Printf("%8d m", m)
	}
	for _, rate := range rates {
		fmt.Printf("\n%8v", rate)
		for _, m := range lengths {
			fmt.Printf("%10d", pfc.Headroom(rate, pfc.Cable(m), mtu, pfc.Reaction(rate)))
		}
	}
	fmt.Println()
}

func printPool() {
	fmt.Printf(
		"\nshared pool of %d ports with %d m of cable each, in KiB, by lossless classes\n", ports, metres,
	)
	fmt.Printf("%8s%10d%10d%10d%10d\n", "", 1, 2, 4, 8)
	var refused error
	for _, rate := range rates {
		fmt.Printf("%8v", rate)
		for _, classes := range []int{1, 2, 4, 8} {
			s, err := newSwitch(rate, classes, sluice.Ratio{Num: 1, Den: 8})
			if err != nil {
				refused = err
				fmt.Printf("%10s", "-")
				continue
			}
			fmt.Printf("%10d", s.Pool()/sluice.KiB)
		}
		fmt.Println()
	}
	fmt.Println("the last of those refused:", refused)
}

func printThresholds() {
	const rate = 400 * sluice.Gbps
	fmt.Printf(
		"\nbytes held by an ingress when it is paused, of %d ports at %v, by ingresses that fill up "+
			"at once\n",
		ports, rate,
	)
	fmt.Printf("%8s%10d%10d%10d%10d\n", "alpha", 1, 4, 16, 63)
	for _, alpha := range []sluice.Ratio{
		{Num: 1, Den: 16}, {Num: 1, Den: 8}, {Num: 1, Den: 2}, {Num: 1, Den: 1},
	} {
		fmt.Printf("%8v", alpha)
		for _, ingresses := range []int{1, 4, 16, 63} {
			s, err := newSwitch(rate, 1, alpha)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%10d", fill(s, ingresses))
		}
		fmt.Println()
	}
}

// fill sends packets in turn from the first ports to the last, which transmits none, until all
// ingresses are paused. It returns what the first of them then holds.
func fill(s *pfc.Switch, ingresses int) sluice.Bytes {
	var frame pfc.Frame
	for paused := 0; paused < ingresses; {
		for i := range ingresses {
			in := s.Port(sluice.PortID(i))
			if in.Paused().Has(0) {
				continue
			}
			packet := sluice.Packet{Size: int32(mtu), Ingress: in.ID()}
			verdict := s.Port(ports-1).Enqueue(0, &packet)
			if verdict.Action() == sluice.Drop {
				log.Fatal(verdict)
			}
			in.PollFrame(0, &frame) // the pause leaves
			if in.Paused().Has(0) {
				paused++
			}
		}
	}
	return s.Port(0).IngressBytes(0)
}
