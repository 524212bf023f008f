package workload

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// FileError says which line of a flow file breaks which rule.
type FileError = textfile.FileError

// MaxFlows is the largest number of flows of a list.
const MaxFlows = 1 << 24

// MaxStart is the latest instant at which a flow can start: half of what sluice.Time can hold is
// left for what follows.
const MaxStart = 50 * 24 * 3600 * sluice.Second

// ReadFlows reads a flow file, in the format of HPCC's ns-3 and of Pyrrha's: a line with the number
// of flows, then a line for each: "src dst class dst_port bytes start", start in seconds as a
// decimal number with up to twelve places, which is exact here. What that format cannot express may
// follow as name=value: group=incast (or another, see NamedGroup), and rate=5Gbps for a flow of a
// constant rate, headers included. Flows stay in the order of the file; SrcPort is set by
// AssignPorts. name stands in errors, which are *FileError with the line. Memory is proportional to
// what the file holds. With a network, flows that cannot run on it are refused as by CheckFlows; it
// may be nil.
func ReadFlows(r io.Reader, name string, g *topo.Graph) ([]Flow, error) {
	lines := textfile.NewReader(r, name)
	first, err := lines.First()
	switch {
	case err != nil:
		return nil, err
	case len(first) != 1:
		return nil, lines.Errorf("%d fields, the first line has 1: the number of flows", len(first))
	}
	count := lines.Uint("number of flows", first[0], MaxFlows)
	if err := lines.Err(); err != nil {
		return nil, err
	}
	var flows []Flow
	own := map[Group]bool{}
	err = lines.Records("flows", count, func(fields []string) error {
		flow, err := parseFlow(lines, fields)
		if err != nil {
			return err
		}
		if g != nil {
			if rule := flow.check(g); rule != "" {
				return lines.Errorf("%s", rule)
			}
		}
		if flow.Group.IsOwn() {
			if own[flow.Group] = true; len(own) > MaxOwnGroups {
				return lines.Errorf("more than %d groups with names of one's own", MaxOwnGroups)
			}
		}
		flows = append(flows, flow)
		return nil
	})
	if err != nil {
		return nil, err
	}
	AssignPorts(flows)
	return flows, nil
}

func parseFlow(lines *textfile.Reader, fields []string) (f Flow, err error) {
	if len(fields) < 6 {
		return f, lines.Errorf(
			"%d fields, a flow has 6: source, destination, class, destination port, bytes, start in seconds",
			len(fields),
		)
	}
	f = Flow{
		Src:     sluice.SwitchID(lines.Uint("source", fields[0], math.MaxUint32)),
		Dst:     sluice.SwitchID(lines.Uint("destination", fields[1], math.MaxUint32)),
		Class:   sluice.Class(lines.Uint("class", fields[2], sluice.Classes-1)),
		DstPort: uint16(lines.Uint("destination port", fields[3], math.MaxUint16)),
		Bytes:   sluice.Bytes(lines.Uint("number of bytes", fields[4], math.MaxInt64)),
		Start:   sluice.Time(lines.Decimal("start", fields[5], 12)),
	}
	switch {
	case lines.Err() != nil:
		return f, lines.Err()
	case f.Src == f.Dst:
		return f, lines.Errorf("the flow goes from host %d to itself", f.Src)
	case f.Bytes == 0:
		return f, lines.Errorf("the flow has no bytes")
	case f.Start == sluice.Never:
		return f, lines.Errorf("start %s is too large", textfile.Quote(fields[5]))
	}
	return f, parseOptions(lines, fields[6:], &f)
}

// WriteFlows writes a flow file in the format of HPCC's ns-3, which ReadFlows reads back as the
// same flows, without source ports, groups and rates, which that format cannot express.
// Starts have nine decimal places as in HPCC's files, twelve where they need them.
func WriteFlows(w io.Writer, flows []Flow) error { return writeFlows(w, flows, false) }

// WriteFlowsWithOptions writes groups and rates too, in fields that other simulators do not
// read.
func WriteFlowsWithOptions(w io.Writer, flows []Flow) error { return writeFlows(w, flows, true) }

func writeFlows(w io.Writer, flows []Flow, options bool) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, len(flows))
	var line []byte
	for i := range flows {
		f := &flows[i]
		if f.Start < 0 {
			return fmt.Errorf("workload: flow %d starts at %v: the file format has no negative times", i,
				f.Start)
		}
		line = line[:0]
		for _, n := range [...]uint64{
			uint64(f.Src), uint64(f.Dst), uint64(f.Class), uint64(f.DstPort), uint64(f.Bytes),
		} {
			line = strconv.AppendUint(line, n, 10)
			line = append(line, ' ')
		}
		line = textfile.AppendDecimal(line, int64(f.Start), 12, 9)
		if options {
			line = appendOptions(line, f)
		}
		line = append(line, '\n')
		out.Write(line)
	}
	return out.Flush()
}

// CheckFlows returns nil if every flow can run on the network: source and destination are different
// hosts of it, there is at least one byte, the class exists and the start is not negative. The
// error names the first flow that cannot, by its index.
func CheckFlows(g *topo.Graph, flows []Flow) error {
	for i := range flows {
		if rule := flows[i].check(g); rule != "" {
			return fmt.Errorf("workload: flow %d (counted from 0): %s", i, rule)
		}
	}
	return nil
}

// mostBytes is 2^31 packets of 1 MiB, more than which no flow has.
const mostBytes sluice.Bytes = 1 << 51

// check returns why a flow cannot run on a network, "" if it can.
func (f *Flow) check(g *topo.Graph) (rule string) {
	switch {
	case !isHost(g, f.Src):
		return fmt.Sprintf("source %d is not a host of %s", f.Src, g.Name)
	case !isHost(g, f.Dst):
		return fmt.Sprintf("destination %d is not a host of %s", f.Dst, g.Name)
	case f.Src == f.Dst:
		return fmt.Sprintf("it goes from host %d to itself", f.Src)
	case f.Bytes <= 0:
		return fmt.Sprintf("it has %d bytes", f.Bytes)
	case f.Bytes > mostBytes:
		return fmt.Sprintf("it has %d bytes, the most is %d", f.Bytes, mostBytes)
	case f.Class >= sluice.Classes:
		return fmt.Sprintf("class %d is above 7", f.Class)
	case f.Start < 0 || f.Start > MaxStart:
		return fmt.Sprintf("it starts at %v, the range is 0 to 50 days", f.Start)
	}
	return ""
}

func isHost(g *topo.Graph, n sluice.SwitchID) bool {
	return int64(n) < int64(len(g.Nodes)) && g.IsHost(n)
}

// flowOptions are the fields that may follow the six of a flow, as name=value: what the format of
// the field's simulators cannot express.
var flowOptions = [...]flowOption{
	{"group", setGroup}, {"rate", setRate},
}

type flowOption struct {
	name string
	set  func(lines *textfile.Reader, f *Flow, value string) error
}

// parseOptions sets what the optional fields of a flow say. Each may stand once.
func parseOptions(lines *textfile.Reader, fields []string, f *Flow) error {
	for i, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		known := slices.IndexFunc(flowOptions[:], func(o flowOption) bool { return o.name == name })
		switch {
		case name == "stage":
			return lines.Errorf("field %s: schedules have replaced stages, see docs/schedules.md",
				textfile.Quote(field))
		case known < 0:
			return lines.Errorf("field %s is none of group=, rate=", textfile.Quote(field))
		}
		for _, before := range fields[:i] {
			if strings.HasPrefix(before, name+"=") {
				return lines.Errorf("%s= stands twice", name)
			}
		}
		if err := flowOptions[known].set(lines, f, value); err != nil {
			return err
		}
	}
	return nil
}

func setGroup(lines *textfile.Reader, f *Flow, value string) error {
	group, err := NamedGroup(value)
	if err != nil {
		return lines.Errorf("group %s %v", textfile.Quote(value), err)
	}
	f.Group = group
	return nil
}

// setRate reads bits per second, as 5Gbps.
func setRate(lines *textfile.Reader, f *Flow, value string) error {
	f.Rate = sluice.Rate(lines.Quantity("rate", value, textfile.RateUnits))
	if f.Rate == 0 && lines.Err() == nil {
		return lines.Errorf("rate is zero")
	}
	return lines.Err()
}

func appendOptions(line []byte, f *Flow) []byte {
	if f.Group != GroupAuto {
		line = append(append(line, " group="...), f.Group.String()...)
	}
	if f.Rate > 0 {
		line = textfile.AppendQuantity(append(line, " rate="...), int64(f.Rate), textfile.RateUnits)
	}
	return line
}
