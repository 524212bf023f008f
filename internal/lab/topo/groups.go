package topo

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

const groupMark = "group"

// MaxGroups is the largest number of groups of hosts of a file.
const MaxGroups = 64

// readGroup reads "group NAME HOSTS", hosts and ranges of hosts, if the line is that.
func (f *fileReader) readGroup(fields []string) (taken bool, err error) {
	if fields[0] != groupMark {
		return false, nil
	}
	if len(f.groups) == MaxGroups {
		return true, f.lines.Errorf("more than %d groups", MaxGroups)
	}
	return true, f.parseGroup(fields)
}

func (f *fileReader) parseGroup(fields []string) error {
	if len(fields) < 3 {
		return f.lines.Errorf("a group has a name and hosts, as in: group storage 0-15 20")
	}
	group := HostGroup{Name: fields[1]}
	if !textfile.IsName(group.Name) {
		return f.lines.Errorf("the name %s of a group must be a letter, and letters, digits, '.', '_' "+
			"and '-' behind it", textfile.Quote(group.Name))
	}
	for i := range f.groups {
		if f.groups[i].Name == group.Name {
			return f.lines.Errorf("group %s is named twice", group.Name)
		}
	}
	seen := map[uint64]bool{}
	for _, field := range fields[2:] {
		from, to, isRange := strings.Cut(field, "-")
		first := f.lines.Uint("host", from, f.nodes-1)
		last := first
		if isRange {
			last = f.lines.Uint("host", to, f.nodes-1)
		}
		switch {
		case f.lines.Err() != nil:
			return f.lines.Err()
		case last < first:
			return f.lines.Errorf("hosts %s: a range begins with its lowest host", textfile.Quote(field))
		}
		for n := first; n <= last; n++ {
			host := sluice.SwitchID(n)
			switch {
			case f.isSwitch(host):
				return f.lines.Errorf("group %s: node %d is a switch", group.Name, n)
			case seen[n]:
				return f.lines.Errorf("group %s: host %d is listed twice", group.Name, n)
			}
			seen[n] = true
			group.Hosts = append(group.Hosts, host)
		}
	}
	f.groups = append(f.groups, group)
	return nil
}

// appendTo appends the group as a line of a file, neighbours as a range.
func (h *HostGroup) appendTo(line []byte) []byte {
	line = fmt.Appendf(line, "%s %s", groupMark, h.Name)
	for i := 0; i < len(h.Hosts); {
		first := i
		for i++; i < len(h.Hosts) && h.Hosts[i] == h.Hosts[i-1]+1; i++ {
		}
		line = fmt.Appendf(line, " %d", h.Hosts[first])
		if i > first+1 {
			line = fmt.Appendf(line, "-%d", h.Hosts[i-1])
		}
	}
	return append(line, '\n')
}
