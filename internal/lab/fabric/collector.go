package fabric

import (
	"runtime/debug"
	"sync"
)

// Large is from how many nodes on a network is much of a program's memory.
const Large = 4096

// building counts the large networks that are being built, and knows how much memory may grow
// before the collector comes otherwise, in percent.
var building struct {
	sync.Mutex
	networks, percent int
}

// holdCollector keeps the garbage collector away until the caller calls what it returns, if the
// network is large. What is built lives as long as its run: the collector would look at it again
// and again, for more time than building takes, and find little.
func holdCollector(nodes int) (release func()) {
	if nodes < Large {
		return func() {}
	}
	building.Lock()
	defer building.Unlock()
	if building.networks++; building.networks == 1 {
		building.percent = debug.SetGCPercent(-1)
	}
	return func() {
		building.Lock()
		defer building.Unlock()
		if building.networks--; building.networks == 0 {
			debug.SetGCPercent(building.percent)
		}
	}
}
