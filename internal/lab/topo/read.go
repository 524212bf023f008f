package topo

import (
	"io"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// FileError says which line of a topology file breaks which rule.
type FileError = textfile.FileError

// Read reads a topology file in either of two formats, which it tells apart by the first line. name
// is the graph's name and stands in errors, which are *FileError with the line.
//
// HPCC's: "nodes switches links", then the identities of the switches on any number of lines, then
// a line for each link: "a b rate delay error_rate", as in "0 160 100Gbps 0.001ms 0". Rates have a
// unit from bps to Tbps, delays from ps to s. Error rates other than 0 are refused, as links here
// lose nothing.
//
// Pyrrha's: "nodes switches hosts_per_rack tors spines links", then the switches likewise, then
// "a b Gb/s ns", as in "0 160 100 600".
//
// Behind the links of either form may follow lines "group NAME HOSTS", as in
// "group storage 0-15 20": other simulators stop reading before them.
//
// Identities run from 0 to nodes-1; nodes that are not switches are hosts. If a host has several
// links, or one to another host, hosts forward: such a file can mean nothing else. Tiers are
// distances from the hosts: a switch with a host is a top-of-rack switch; racks are numbered in the
// order of their switches. Ports are numbered in the order of the links. The graph passes Validate.
// Memory is proportional to what the file holds, whatever its numbers say.
func Read(r io.Reader, name string) (*Graph, error) {
	f := fileReader{lines: textfile.NewReader(r, name), name: name}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	if err := f.readSwitches(); err != nil {
		return nil, err
	}
	err := f.lines.Records("links", f.count, f.readLink, f.readGroup)
	if err != nil {
		return nil, err
	}
	return f.build()
}

// fileReader holds what was read so far. Nothing is allocated for nodes before the links
// were counted: a connected network has at most one node more than links.
type fileReader struct {
	lines *textfile.Reader
	name  string

	format                 *fileFormat
	headerLine             int
	nodes, switches, count uint64 // count of links
	tors                   uint64 // in Pyrrha's format

	switchLine map[sluice.SwitchID]int
	links      []fileLink
	groups     []HostGroup
}

type fileFormat struct {
	linkFields int
	linkForm   string // for errors
	parseLink  func(*textfile.Reader, []string) (sluice.Link, error)
	saysToRs   bool
}

var (
	hpccFormat   = fileFormat{5, "source, destination, rate, delay, error rate", parseHPCCLink, false}
	pyrrhaFormat = fileFormat{4, "source, destination, Gb/s, ns", parsePyrrhaLink, true}
)

type fileLink struct {
	a, b sluice.SwitchID
	link sluice.Link
	line int
}

func (f *fileReader) readHeader() error {
	fields, err := f.lines.First()
	if err != nil {
		return err
	}
	f.headerLine = f.lines.Line()
	switch len(fields) {
	case 3:
		f.format = &hpccFormat
	case 6:
		f.format = &pyrrhaFormat
	default:
		return f.lines.Errorf("the first line has %d numbers: nodes, switches and links make 3 "+
			"(HPCC's format), nodes, switches, hosts per rack, ToRs, spines and links make 6 (Pyrrha's)",
			len(fields))
	}
	f.nodes = f.lines.Uint("number of nodes", fields[0], MaxNodes)
	f.switches = f.lines.Uint("number of switches", fields[1], MaxNodes)
	if f.format.saysToRs {
		f.lines.Uint("number of hosts per rack", fields[2], MaxNodes)
		f.tors = f.lines.Uint("number of ToRs", fields[3], MaxNodes)
		f.lines.Uint("number of spines", fields[4], MaxNodes)
	}
	f.count = f.lines.Uint("number of links", fields[len(fields)-1], MaxLinks)
	switch {
	case f.lines.Err() != nil:
		return f.lines.Err()
	case f.switches >= f.nodes:
		return f.lines.Errorf("%d nodes with %d switches among them leave no host", f.nodes, f.switches)
	case f.count+1 < f.nodes:
		return f.lines.Errorf("%d links cannot connect %d nodes", f.count, f.nodes)
	}
	return nil
}

func (f *fileReader) readSwitches() error {
	f.switchLine = make(map[sluice.SwitchID]int)
	for uint64(len(f.switchLine)) < f.switches {
		fields, err := f.lines.Fields()
		if err == io.EOF {
			return f.lines.Errorf("the file ends after %d of %d switches", len(f.switchLine), f.switches)
		}
		if err != nil {
			return err
		}
		for _, field := range fields {
			if uint64(len(f.switchLine)) == f.switches {
				return f.lines.Errorf("more switches than the %d of the first line", f.switches)
			}
			id := sluice.SwitchID(f.lines.Uint("switch", field, f.nodes-1))
			if err := f.lines.Err(); err != nil {
				return err
			}
			if line, again := f.switchLine[id]; again {
				return f.lines.Errorf("switch %d is listed on line %d already", id, line)
			}
			f.switchLine[id] = f.lines.Line()
		}
	}
	return nil
}

func (f *fileReader) readLink(fields []string) (err error) {
	if len(fields) != f.format.linkFields {
		return f.lines.Errorf("%d fields, a link has %d: %s", len(fields), f.format.linkFields,
			f.format.linkForm)
	}
	l := fileLink{
		a:    sluice.SwitchID(f.lines.Uint("node", fields[0], f.nodes-1)),
		b:    sluice.SwitchID(f.lines.Uint("node", fields[1], f.nodes-1)),
		line: f.lines.Line(),
	}
	if l.a == l.b && f.lines.Err() == nil {
		return f.lines.Errorf("node %d is linked to itself", l.a)
	}
	if l.link, err = f.format.parseLink(f.lines, fields[2:]); err != nil {
		return err
	}
	if rule := linkRule(l.link); rule != "" {
		return f.lines.Errorf("link of %v, %v: %s", l.link.Rate, l.link.Delay, rule)
	}
	f.links = append(f.links, l)
	return nil
}

// parseHPCCLink parses "100Gbps", "0.001ms", "0".
func parseHPCCLink(lines *textfile.Reader, fields []string) (sluice.Link, error) {
	l := sluice.Link{
		Rate:  sluice.Rate(lines.Quantity("rate", fields[0], textfile.RateUnits)),
		Delay: sluice.Time(lines.Quantity("delay", fields[1], textfile.DelayUnits)),
	}
	if loss := lines.Decimal("error rate", fields[2], 18); loss != 0 && lines.Err() == nil {
		return l, lines.Errorf("error rate %s: links that lose packets are not supported, it must be 0",
			textfile.Quote(fields[2]))
	}
	return l, lines.Err()
}

// parsePyrrhaLink parses Gb/s and ns, numbers without a unit.
func parsePyrrhaLink(lines *textfile.Reader, fields []string) (sluice.Link, error) {
	return sluice.Link{
		Rate:  sluice.Rate(lines.Decimal("rate", fields[0], 9)),
		Delay: sluice.Time(lines.Decimal("delay", fields[1], 3)),
	}, lines.Err()
}

func (f *fileReader) isSwitch(n sluice.SwitchID) bool {
	_, is := f.switchLine[n]
	return is
}

// build makes the graph. Rules that need all the links are checked here; their errors name the line
// of the link or switch that breaks them.
func (f *fileReader) build() (*Graph, error) {
	g := newGraph(f.name, int(f.nodes))
	for n := range g.Nodes {
		if f.isSwitch(sluice.SwitchID(n)) {
			g.setTier(sluice.SwitchID(n), 1, unknownTier)
		}
	}
	for _, l := range f.links {
		for _, end := range [...]sluice.SwitchID{l.a, l.b} {
			if len(g.Nodes[end].Ports) == MaxPorts {
				return nil, f.lines.ErrorAt(l.line, "node %d has more than %d links", end, MaxPorts)
			}
		}
		g.Connect(l.a, l.b, l.link)
		second := g.IsHost(l.a) && len(g.Nodes[l.a].Ports) > 1 || g.IsHost(l.b) &&
			len(g.Nodes[l.b].Ports) > 1
		if second || g.IsHost(l.a) && g.IsHost(l.b) {
			g.HostsForward = true
		}
	}
	g.Groups = f.groups
	tors, err := g.deriveTiers()
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return nil, &FileError{Name: f.name, Message: err.Error(), Err: err}
	}
	if f.format.saysToRs && f.tors != uint64(tors) {
		return nil, f.lines.ErrorAt(f.headerLine, "the first line says %d ToRs, %d switches have hosts",
			f.tors, tors)
	}
	return g, nil
}
