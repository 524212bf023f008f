package main

import (
	"golang.org/x/sys/unix"
)

// mailbox takes what others want a node to do: it does it itself, between two rounds.
type mailbox struct {
	letters chan func()
	bell    int           // eventfd, so that a node that sleeps wakes up
	closed  chan struct{} // when the node has ended
}

func newMailbox() (m mailbox, err error) {
	m.letters, m.closed = make(chan func(), 16), make(chan struct{})
	m.bell, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	return m, err
}

// do has the node call f, and waits until it has. False if the node has ended.
func (m *mailbox) do(f func()) bool {
	done := make(chan struct{})
	select {
	case m.letters <- func() { f(); close(done) }:
	case <-m.closed:
		return false
	}
	unix.Write(m.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	select {
	case <-done:
		return true
	case <-m.closed:
		return false
	}
}

// readMail is the node's side.
func (m *mailbox) readMail() {
	var rings [8]byte
	unix.Read(m.bell, rings[:])
	for {
		select {
		case letter := <-m.letters:
			letter()
		default:
			return
		}
	}
}
