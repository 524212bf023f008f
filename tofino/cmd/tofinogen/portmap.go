package main

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/tofino/chip"
)

// portMap says which port of the chip each port of the switch is, and how fast.
type portMap struct {
	ports []chip.DevPort
	rates []sluice.Rate
}

// defaultPorts gives the ports of a switch channels in order, in a single pipe if they fit there:
// with as many port groups as there are, so that each port has many queues.
func defaultPorts(g *topo.Graph, node sluice.SwitchID) (*portMap, error) {
	m := &portMap{}
	most, sum := 1, 0
	for at, end := range g.Nodes[node].Ports {
		n := chip.ChannelsOf(end.Link.Rate)
		if n == 0 {
			return nil, fmt.Errorf("port %d has %v: a port of the chip has at most 400Gb/s", at,
				end.Link.Rate)
		}
		most, sum = max(most, n), sum+n
		m.rates = append(m.rates, end.Link.Rate)
	}
	const perPipe = chip.FrontChannels
	// In one pipe, the ports may be as far apart as there is room for.
	apart := 1
	for n := most; n <= chip.Channels; n *= 2 {
		if len(m.rates)*n <= perPipe {
			apart = n
		}
	}
	next := 0
	for at, rate := range m.rates {
		n := max(chip.ChannelsOf(rate), apart)
		next = (next + n - 1) / n * n
		pipe, group := next/perPipe, next%perPipe/chip.Channels+1
		if pipe >= chip.Pipes {
			return nil, fmt.Errorf("port %d: the chip has no channels left for it: %d lanes of 50Gb/s "+
				"are needed and it has %d", at, sum, chip.Pipes*perPipe)
		}
		port, err := chip.NewDevPort(pipe, group, next%chip.Channels)
		if err != nil {
			return nil, err
		}
		m.ports = append(m.ports, port)
		next += n
	}
	return m, nil
}

// readPorts reads a port map: a line for each port of the switch, with its number, the chip's port
// and, if the topology's is not meant, its rate. Blank lines and what follows # mean nothing.
//
//	0  136      400Gbps
//	1  9/0              # front port 9, channel 0: dev_port 136
//
// A front port is a number from 1 to 32, as many to a pipe as it has port groups, in their order: a
// board may have wired them otherwise, and then dev_ports are to be given.
func readPorts(text []byte, name string, g *topo.Graph, node sluice.SwitchID) (*portMap, error) {
	count := len(g.Nodes[node].Ports)
	m := &portMap{make([]chip.DevPort, count), make([]sluice.Rate, count)}
	seen := make([]bool, count)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if err := m.line(words, seen, g.Nodes[node].Ports); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for at, there := range seen {
		if !there {
			return nil, fmt.Errorf("%s: port %d of the switch is missing: it has %d", name, at, count)
		}
	}
	return m, m.overlaps(name)
}

// line reads the words of one line.
func (m *portMap) line(words []string, seen []bool, ends []topo.Port) error {
	if len(words) < 2 || len(words) > 3 {
		return fmt.Errorf("must be a port, the chip's port and at most a rate")
	}
	at, err := strconv.ParseUint(words[0], 10, 16)
	switch {
	case err != nil || int(at) >= len(seen):
		return fmt.Errorf("%q is no port of the switch: it has 0 to %d", words[0], len(seen)-1)
	case seen[at]:
		return fmt.Errorf("port %d is there twice", at)
	}
	seen[at] = true
	if m.ports[at], err = parsePort(words[1]); err != nil {
		return err
	}
	m.rates[at] = ends[at].Link.Rate
	if len(words) == 3 {
		if m.rates[at], err = params.Parse[sluice.Rate](words[2]); err != nil {
			return fmt.Errorf("%q: %w", words[2], err)
		}
	}
	if chip.ChannelsOf(m.rates[at]) == 0 || m.rates[at] <= 0 {
		return fmt.Errorf("port %d has %v: a port of the chip has up to 400Gb/s", at, m.rates[at])
	}
	return nil
}

// parsePort reads a dev_port, or a front port and a channel.
func parsePort(word string) (chip.DevPort, error) {
	front, channel, isFront := strings.Cut(word, "/")
	number, err := strconv.ParseUint(front, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a dev_port, as 136, nor a front port and its channel, as 9/0",
			word)
	}
	if !isFront {
		port, err := chip.ParseDevPort(int(number))
		if err == nil && port.Internal() {
			err = fmt.Errorf("dev_port %d is the chip's own: front ports have port groups 1 to 8", number)
		}
		return port, err
	}
	c, err := strconv.ParseUint(channel, 10, 8)
	const groups = chip.Groups - 1
	if err != nil || number < 1 || number > chip.Pipes*groups {
		return 0, fmt.Errorf("%q: front ports are 1/0 to %d/%d", word, chip.Pipes*groups, chip.Channels-1)
	}
	return chip.NewDevPort(int(number-1)/groups, int(number-1)%groups+1, int(c))
}

// overlaps refuses ports that share a channel or begin at one where they cannot.
func (m *portMap) overlaps(name string) error {
	taken := map[chip.DevPort]int{}
	for at, port := range m.ports {
		n := chip.ChannelsOf(m.rates[at])
		if port.Channel()%n != 0 {
			return fmt.Errorf("%s: port %d: %v has %d channels, which begin at a multiple of that: not at "+
				"dev_port %d", name, at, m.rates[at], n, uint16(port))
		}
		for channel := range n {
			own := port + chip.DevPort(channel)
			if other, is := taken[own]; is {
				return fmt.Errorf("%s: ports %d and %d share channel %d of port group %d, pipe %d", name, other,
					at, own.Channel(), own.Group(), own.Pipe())
			}
			taken[own] = at
		}
	}
	return nil
}

// text returns the map as readPorts reads it.
func (m *portMap) text() []byte {
	var b bytes.Buffer
	for at, port := range m.ports {
		fmt.Fprintf(&b, "%-3d %-4d %-9v # pipe %d, group %d, channel %d\n", at, uint16(port),
			m.rates[at], port.Pipe(), port.Group(), port.Channel())
	}
	return b.Bytes()
}
