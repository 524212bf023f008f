package fabric

import (
	"runtime/debug"
	"sync"
)

// large is from how many nodes on a network is much of a program's memory, and earlyPercent how
// much that may grow after one was built before the garbage collector comes.
const large, earlyPercent = 4096, 10

// building counts the large networks that are being built.
var building struct {
	sync.Mutex
	networks int
}

// holdCollector keeps the garbage collector away until the caller calls what it returns, if the
// network is large. What is built lives as long as its run: the collector would look at it again
// and again, for more time than building takes, and find little. For the same reason it comes
// early from then on.
func holdCollector(nodes int) (release func()) {
	if nodes < large {
		return func() {}
	}
	building.Lock()
	defer building.Unlock()
	if building.networks++; building.networks == 1 {
		debug.SetGCPercent(-1)
	}
	return func() {
		building.Lock()
		defer building.Unlock()
		if building.networks--; building.networks == 0 {
			debug.SetGCPercent(earlyPercent)
		}
	}
}
