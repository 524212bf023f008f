package workload

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// Group is what a flow is for: results are by group.
type Group uint8

// Groups, as the Pyrrha paper (section II-B) names them. Others have names of one's own, see
// NamedGroup.
const (
	GroupAuto  Group = iota
	Incast           // to the destination of most bytes
	Vulnerable       // to other hosts of that destination's rack
	Background       // the others

	ownGroups // the first of them
)

// MaxOwnGroups is the largest number of groups with names of one's own in a list of flows.
const MaxOwnGroups = 50

// maxNamed is the largest number in a process.
const maxNamed = 256 - int(ownGroups)

var groupNames = [...]string{"auto", "incast", "vulnerable", "background"}

// named are the names of one's own. A name's number is where it was first, and never shows.
var named struct {
	sync.RWMutex
	names []string
}

// reserved are names that reports have for other things.
var reserved = []string{"auto", "all", "all_flows", "overall", "network", "own"}

const longestGroup = 24 // letters of a name

// NamedGroup returns the group of a name: one of the constants, or one with a name of one's own,
// which is a letter with up to 23 letters, digits, '.', '-' and '_' behind it.
func NamedGroup(name string) (Group, error) {
	if i := slices.Index(groupNames[1:], name); i >= 0 {
		return Group(i + 1), nil
	}
	if !textfile.IsName(name) || len(name) > longestGroup ||
		slices.Contains(reserved, strings.ToLower(name)) {
		return GroupAuto, fmt.Errorf("must be a letter and up to 23 letters, digits, '.', '-' and '_', "+
			"and none of %s", strings.Join(reserved, ", "))
	}
	named.Lock()
	defer named.Unlock()
	i := slices.Index(named.names, name)
	if i < 0 {
		if i = len(named.names); i == maxNamed {
			return GroupAuto, fmt.Errorf("is the name of one group too many: there are %d", maxNamed)
		}
		named.names = append(named.names, name)
	}
	return ownGroups + Group(i), nil
}

// IsOwn reports whether the group has a name of one's own.
func (g Group) IsOwn() bool { return g >= ownGroups }

// IsKnown reports whether the group is one of the constants, or NamedGroup has returned it.
func (g Group) IsKnown() bool {
	named.RLock()
	defer named.RUnlock()
	return int(g) < int(ownGroups)+len(named.names)
}

func (g Group) String() string {
	if !g.IsOwn() {
		return groupNames[g]
	}
	named.RLock()
	defer named.RUnlock()
	if i := int(g - ownGroups); i < len(named.names) {
		return named.names[i]
	}
	return fmt.Sprintf("Group(%d)", g)
}
