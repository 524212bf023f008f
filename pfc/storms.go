package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// StormEvent is the begin or the end of a pause storm.
type StormEvent struct {
	At    sluice.Time // the look of the watchdog that found it
	Port  sluice.PortID
	Class sluice.Class
	Began bool // false: it ended
}

// String formats the event, such as
//
//	600ms: port 0 class 3: storm began
func (e StormEvent) String() string {
	what := "ended"
	if e.Began {
		what = "began"
	}
	return fmt.Sprintf("%v: port %d class %d: storm %s", e.At, e.Port, e.Class, what)
}

// PollStorm returns the oldest begin or end of a pause storm that was not read yet; false if there
// is none. The watchdog finds them in Expire. If more than Watchdog.Events wait, the oldest are
// lost, and counted in Counters.StormEventsLost. O(1).
func (s *Switch) PollStorm() (StormEvent, bool) {
	r := &s.watchdog.events
	if r.used == 0 {
		return StormEvent{}, false
	}
	e := r.ring[r.first]
	r.first = (r.first + 1) % len(r.ring)
	r.used--
	return e, true
}

type storms struct {
	ring  []StormEvent
	first int
	used  int
	lost  uint64
}

// resize makes room for n events. Those that wait stay, the latest if there are more.
func (r *storms) resize(n int) {
	old := *r
	*r = storms{ring: make([]StormEvent, n), lost: r.lost}
	for i := range old.used {
		r.add(old.ring[(old.first+i)%len(old.ring)])
	}
}

// add adds an event, in the place of the oldest if there is no room.
func (r *storms) add(e StormEvent) {
	if len(r.ring) == 0 {
		return
	}
	if r.used == len(r.ring) {
		r.first = (r.first + 1) % len(r.ring)
		r.used--
		r.lost++
	}
	r.ring[(r.first+r.used)%len(r.ring)] = e
	r.used++
}

func (r *storms) rebase(by sluice.Time) {
	for i := range r.ring {
		r.ring[i].At = chassis.Shift(r.ring[i].At, by)
	}
}
