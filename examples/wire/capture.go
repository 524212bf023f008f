package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/sluicefc/sluice"
	"golang.org/x/sys/unix"
)

// capture writes all that the ports of switches receive and send to a file, with sockets of its
// own.
type capture struct {
	sockets    []socket // by the number of the interface in the file
	interfaces []pcapgo.NgInterface
	writer     *pcapgo.NgWriter
	failed     error
}

// serveCapture begins a capture.
func (l *lab) serveCapture(path string) (closer func() error, err error) {
	c := &capture{}
	for _, at := range l.plan.places {
		for port := range at.peers {
			if at.kind == fabric {
				if err := c.add(l.cables, at, sluice.PortID(port)); err != nil {
					return nil, err
				}
			}
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := c.begin(file); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { c.run(ended) })
	return func() error {
		close(ended)
		running.Wait()
		for _, s := range c.sockets {
			if n := s.lost(); n > 0 {
				c.failed = errors.Join(c.failed, fmt.Errorf("%s lacks %d frames", path, n))
			}
			c.failed = errors.Join(c.failed, s.close())
		}
		return errors.Join(c.failed, c.writer.Flush(), file.Close())
	}, nil
}

func (c *capture) add(cables *cabling, at *place, port sluice.PortID) error {
	s, err := cables.open(at, port, true)
	c.sockets = append(c.sockets, s)
	c.interfaces = append(c.interfaces, pcapgo.NgInterface{
		Name: at.name + "-" + s.name, LinkType: layers.LinkTypeEthernet,
	})
	return err
}

// begin writes what stands before the packets.
func (c *capture) begin(file *os.File) (err error) {
	c.writer, err = pcapgo.NewNgWriterInterface(file, c.interfaces[0], pcapgo.DefaultNgWriterOptions)
	for _, more := range c.interfaces[1:] {
		if err == nil {
			_, err = c.writer.AddInterface(more)
		}
	}
	return err
}

func (c *capture) run(ended <-chan struct{}) {
	files := make([]unix.PollFd, len(c.sockets))
	for i, s := range c.sockets {
		files[i] = unix.PollFd{Fd: int32(s.fd), Events: unix.POLLIN}
	}
	buffer := make([]byte, maxFrame+8)
	for {
		select {
		case <-ended:
			return
		default:
		}
		sleep(files, 50*time.Millisecond)
		for i := range files {
			for length, err := c.sockets[i].receive(buffer); err == nil; {
				c.write(i, length, buffer)
				length, err = c.sockets[i].receive(buffer)
			}
		}
	}
}

func (c *capture) write(i, length int, buffer []byte) {
	err := c.writer.WritePacket(gopacket.CaptureInfo{
		Timestamp: time.Now(), CaptureLength: length, Length: length, InterfaceIndex: i,
	}, buffer[:length])
	c.failed = errors.Join(c.failed, err)
}
