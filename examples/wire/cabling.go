package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// cabling is the network in the kernel: a namespace for each place, named wire, process and place,
// with an interface p0, p1 and so on for each port.
type cabling struct {
	plan       *plan
	namespaces []netns.NsHandle // by place
	handles    []*netlink.Handle
}

const mtu = 1500 // of all interfaces

func interfaceName(port sluice.PortID) string { return "p" + strconv.Itoa(int(port)) }

// layCables makes the network. If it fails, nothing of it stays.
func layCables(p *plan) (c *cabling, err error) {
	removeLeftovers()
	c = &cabling{plan: p}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("network namespaces: %w", err), c.remove())
		}
	}()
	for _, at := range p.places {
		namespace, err := addNamespace(namespaceName(at))
		if err != nil {
			return c, err
		}
		c.namespaces = append(c.namespaces, namespace)
		handle, err := netlink.NewHandleAt(namespace)
		if err != nil {
			return c, err
		}
		c.handles = append(c.handles, handle)
	}
	for _, at := range p.places {
		for port, peer := range at.peers {
			if at.id < peer.id {
				if err := c.connect(at, sluice.PortID(port), peer); err != nil {
					return c, err
				}
			}
		}
	}
	for _, at := range p.places {
		for port := range at.peers {
			if err := c.setLink(at, sluice.PortID(port), true); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

func (c *cabling) connect(at *place, port sluice.PortID, to peer) error {
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.MTU = interfaceName(port), mtu
	attributes.Namespace = netlink.NsFd(c.namespaces[at.id])
	return netlink.LinkAdd(&netlink.Veth{
		LinkAttrs: attributes, PeerName: interfaceName(to.port), PeerMTU: mtu,
		PeerNamespace: netlink.NsFd(c.namespaces[to.id]),
	})
}

// setLink takes an interface up or down. The other end loses its carrier with it.
func (c *cabling) setLink(at *place, port sluice.PortID, up bool) error {
	link, err := c.handles[at.id].LinkByName(interfaceName(port))
	if err != nil {
		return err
	}
	if up {
		return c.handles[at.id].LinkSetUp(link)
	}
	return c.handles[at.id].LinkSetDown(link)
}

// severed returns how many frames an interface sent to a peer that was down.
func (c *cabling) severed(at *place, port sluice.PortID) uint64 {
	link, err := c.handles[at.id].LinkByName(interfaceName(port))
	if err != nil {
		return 0
	}
	return link.Attrs().Statistics.TxDropped
}

// open opens the socket of a port.
func (c *cabling) open(at *place, port sluice.PortID, echo bool) (s socket, err error) {
	err = apart(func() error {
		if err := netns.Set(c.namespaces[at.id]); err != nil {
			return err
		}
		s, err = openSocket(interfaceName(port), echo)
		return err
	})
	return s, err
}

func (c *cabling) remove() (err error) {
	for _, handle := range c.handles {
		handle.Close()
	}
	for i, namespace := range c.namespaces {
		err = errors.Join(err, namespace.Close(), netns.DeleteNamed(namespaceName(c.plan.places[i])))
	}
	c.namespaces = nil
	return err
}

// awaitCarrier waits until the kernel has taken note that both ends of every cable are up.
func (l *lab) awaitCarrier() error {
	const look, most = 10 * time.Millisecond, 500
	for range most {
		all := true
		for _, n := range l.nodes {
			for i := range n.ports {
				all = all && n.ports[i].socket.carrier()
			}
		}
		if all {
			return nil
		}
		time.Sleep(look)
	}
	return errors.New("the links have not come up")
}
