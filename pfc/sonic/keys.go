package sonic

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// memberKey is a key of BUFFER_PG, BUFFER_QUEUE or QUEUE: "Ethernet0|3-4", "Ethernet0,Ethernet4|3",
// or, of a switch whose queues are virtual output queues, "host|asic0|Ethernet0|3".
type memberKey struct {
	system  string // "host|asic0|"; usually empty
	ports   []string
	numbers uint64 // a set of 0 to 63; pfc has 0 to 7
}

func parseKey(key string) (k memberKey, ok bool) {
	parts := strings.Split(key, "|")
	n := len(parts)
	if n != 2 && n != 4 {
		return k, false
	}
	if n == 4 {
		k.system = strings.Join(parts[:2], "|") + "|"
	}
	k.ports = parsePorts(parts[n-2])
	k.numbers, ok = parseNumbers(parts[n-1])
	return k, ok
}

// parsePorts reads "Ethernet0" or "Ethernet0,Ethernet4".
func parsePorts(s string) (ports []string) {
	for port := range strings.SplitSeq(s, ",") {
		ports = append(ports, strings.TrimSpace(port))
	}
	return ports
}

// mostNumber is the largest number of a queue that a key may have.
const mostNumber = 63

// parseNumbers reads "3,4", "3-4" or "0-2,5-9".
func parseNumbers(s string) (set uint64, ok bool) {
	for part := range strings.SplitSeq(s, ",") {
		low, high, ranged := strings.Cut(part, "-")
		first, err := strconv.Atoi(strings.TrimSpace(low))
		last := first
		if err == nil && ranged {
			last, err = strconv.Atoi(strings.TrimSpace(high))
		}
		if err != nil || first < 0 || first > last || last > mostNumber {
			return 0, false
		}
		for c := first; c <= last; c++ {
			set |= 1 << c
		}
	}
	return set, true
}

// numbers writes a set as ranges, the inverse of parseNumbers: "3-4,7".
func numbers(set uint64) string {
	var names []string
	for _, run := range runs(set) {
		first, last := bits.TrailingZeros64(run), 63-bits.LeadingZeros64(run)
		name := strconv.Itoa(first)
		if last > first {
			name += "-" + strconv.Itoa(last)
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}

// runs returns the runs of consecutive numbers of a set, which have a key each.
func runs(set uint64) (all []uint64) {
	for n := range 64 {
		switch {
		case set>>n&1 == 0:
		case n > 0 && set>>(n-1)&1 == 1:
			all[len(all)-1] |= 1 << n
		default:
			all = append(all, 1<<n)
		}
	}
	return all
}

// members returns the ports and classes of a key, of this ASIC; it notes others.
func (m *importer) members(name, key string) ([]string, sluice.ClassSet) {
	k, ok := parseKey(key)
	switch {
	case !ok:
		m.note(name, key, "", "not of a port and priorities")
		return nil, 0
	case k.system != "" && !strings.EqualFold(k.system, m.system):
		m.note(name, key, "", "of a port of another ASIC")
		return nil, 0
	case k.numbers > uint64(sluice.AllClasses):
		m.noteOnce(name, key, "", "pfc has no queue above 7")
	}
	return k.ports, sluice.ClassSet(k.numbers) & sluice.AllClasses
}
