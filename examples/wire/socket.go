package main

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// wire is what a port receives from and sends to: a socket, or memory where the kernel's part is
// not to be measured.
type wire interface {
	// receive reads the next frame, or as much of it as buffer has room for, and returns how much
	// that is. It returns unix.EAGAIN if there is none, unix.ENETDOWN once after the interface was
	// taken down.
	receive(buffer []byte) (int, error)
	send(frame []byte) error
	// carrier reports whether the interface is up, and the interface at the other end too.
	carrier() bool
	// lost returns how many frames the kernel discarded, without room for them, since the last call.
	lost() uint64
}

// socket is an AF_PACKET socket on one interface: it gets every frame that comes in there, and
// sends frames as they are.
type socket struct {
	fd   int
	name string
}

// receiveBuffer holds what comes in while a node is not scheduled.
const receiveBuffer = 8 << 20

// openSocket opens the socket of an interface in the network namespace of the thread. With echo it
// also gets what is sent by the interface, as a capture wants.
func openSocket(name string, echo bool) (s socket, err error) {
	wire, err := net.InterfaceByName(name)
	if err != nil {
		return s, err
	}
	const all = uint16(unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8) // network order
	s.name = name
	s.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return s, fmt.Errorf("AF_PACKET socket: %w", err)
	}
	ignore := 1
	if echo {
		ignore = 0
	}
	err = errors.Join(
		unix.SetsockoptInt(s.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, ignore),
		unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer),
		unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: wire.Index}),
	)
	if err != nil {
		unix.Close(s.fd)
		return s, fmt.Errorf("AF_PACKET socket on %s: %w", name, err)
	}
	return s, nil
}

func (s *socket) receive(buffer []byte) (int, error) { return unix.Read(s.fd, buffer) }

func (s *socket) send(frame []byte) error {
	_, err := unix.Write(s.fd, frame)
	return err
}

func (s *socket) carrier() bool {
	request, err := unix.NewIfreq(s.name)
	if err != nil || unix.IoctlIfreq(s.fd, unix.SIOCGIFFLAGS, request) != nil {
		return false
	}
	const both = unix.IFF_UP | unix.IFF_RUNNING
	return request.Uint16()&both == both
}

func (s *socket) lost() uint64 {
	stats, err := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0
	}
	return uint64(stats.Drops)
}

func (s *socket) close() error { return unix.Close(s.fd) }
