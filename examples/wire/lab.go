package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/sluicefc/sluice"
	"golang.org/x/sys/unix"
)

// lab is a network that runs.
type lab struct {
	settings settings
	plan     *plan
	cables   *cabling
	nodes    []*node // by place
	failed   chan error
	closers  []func() error // last first
	began    time.Time
}

// measuring is how long the scheduling delay is measured.
const measuring = 500 * time.Millisecond

// start builds a network and sets it going.
func start(s settings) (l *lab, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	l = &lab{plan: topologies[s.topology](&s), failed: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	hurry()
	l.closers = append(l.closers, relax)
	// A thread that wakes up must not wait for another to give up its place among Go's.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), len(l.plan.places)+4))
	if s.delays = givenDelays(s.delay); s.delay == 0 {
		s.delays = measureDelays(len(l.plan.places), measuring)
	}
	l.settings = s
	if err := l.build(); err != nil {
		return l, err
	}
	return l, l.run()
}

// build makes the cables, and a node at each end of them.
func (l *lab) build() (err error) {
	if l.cables, err = layCables(l.plan); err != nil {
		return err
	}
	l.closers = append(l.closers, l.cables.remove)
	for _, at := range l.plan.places {
		if err := l.addNode(at); err != nil {
			return fmt.Errorf("%s: %w", at.name, err)
		}
	}
	return l.awaitCarrier()
}

// addNode makes a node with its sockets.
func (l *lab) addNode(at *place) error {
	n, err := newNode(l.plan, at, l.settings)
	if err != nil {
		return err
	}
	if n.mailbox, err = newMailbox(); err != nil {
		return err
	}
	l.closers = append(l.closers, func() error { return unix.Close(n.bell) })
	for i := range n.ports {
		s, err := l.cables.open(at, sluice.PortID(i), false)
		if err != nil {
			return err
		}
		l.closers = append(l.closers, s.close)
		n.ports[i].socket = &s
		n.files = append(n.files, unix.PollFd{Fd: int32(s.fd), Events: unix.POLLIN})
	}
	n.files = append(n.files, unix.PollFd{Fd: int32(n.bell), Events: unix.POLLIN})
	l.nodes = append(l.nodes, n)
	return nil
}

// run begins the capture, sets the nodes going, and serves those who look at them from outside.
func (l *lab) run() error {
	if err := l.serve(l.settings.capture, l.serveCapture); err != nil {
		return err
	}
	l.began = time.Now()
	for _, n := range l.nodes {
		if n.name == l.settings.foreign {
			close(n.closed)
		} else {
			go n.run()
		}
	}
	l.closers = append(l.closers, l.stop)
	if err := l.serve(l.settings.control, l.serveControl); err != nil {
		return err
	}
	return l.serve(l.settings.metrics, l.serveMetrics)
}

// serve starts a server, if the user asked for it.
func (l *lab) serve(at string, start func(at string) (closer func() error, err error)) error {
	if at == "" {
		return nil
	}
	closer, err := start(at)
	if err == nil {
		l.closers = append(l.closers, closer)
	}
	return err
}

// stop ends the nodes' goroutines.
func (l *lab) stop() error {
	for _, n := range l.nodes {
		n.do(func() { n.done = true })
		<-n.closed
	}
	return nil
}

// close ends everything and removes the namespaces.
func (l *lab) close() (err error) {
	for i := len(l.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, l.closers[i]())
	}
	l.closers = nil
	return err
}
