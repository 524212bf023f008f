// Wire is a software switch on Linux: real frames, a wall clock, and any protocol of this module.
//
// It makes network namespaces and veth cables between them, puts a switch or a host into each, and
// removes them when it ends, so it needs to be root. Hosts send numbered packets at the rate of
// their links; what arrives is counted by flow, with its delay. The links are shaped to a rate that
// the machine can keep, and the headroom is sized from a measurement of its scheduling delay.
//
//	wire -fc pfc -duration 5s               two hosts send to a third, and nothing is lost
//	wire -fc none -duration 5s              the same without flow control
//	wire -fc pyrrha -topology victim        an incast, and a flow that shares a link with it
//	wire -fc portfc -topology ndc           four hosts that forward for one another
//	echo 'down s0 2' | nc -U wire.sock      a cable fails (-control wire.sock); also up, threshold
//	curl localhost:9464/metrics             counters for Prometheus (-metrics localhost:9464)
//
// Read machines.go first, which is all that differs between protocols. Then node.go, the loop of a
// switch or host, with receive.go and transmit.go, its two halves; the embedding is there. The rest
// is what surrounds any switch: cabling.go, socket.go, delay.go, control.go, metrics.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("wire: ")
	var s settings
	s.flags(flag.CommandLine)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s); err != nil {
		log.Fatal(err)
	}
}

// run runs a laboratory until its time is over or ctx is, and prints what it counted.
func run(ctx context.Context, s settings) (err error) {
	l, err := start(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	fmt.Println(l.settings.delays)
	fmt.Println(l.settings.headroomText())

	if s.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.duration)
		defer cancel()
	}
	var refresh <-chan time.Time // never, unless a terminal shows the counters
	if term.IsTerminal(int(os.Stdout.Fd())) {
		ticker := time.NewTicker(s.refresh)
		defer ticker.Stop()
		refresh = ticker.C
	}
	for {
		select {
		case <-refresh:
			fmt.Print(clearScreen, l.report())
		case <-ctx.Done():
			fmt.Print(l.finish())
			return nil
		case err := <-l.failed:
			return err
		}
	}
}
