package pyrrha

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// ring is switches in a circle, each with hosts, in which every switch looks up the next hop of a
// packet by its destination. Entries may be wrong for a while, so that packets go round.
type ring struct {
	*network
	switches, hosts int
	clockwise       map[[2]int]bool // by switch and destination switch
	astray          map[int]bool    // destinations whose own switch sends them on
	hops            map[kit.Handle]int
	expired         int // packets that passed too many hops
}

const hopLimit = 24

// newRing: ports of a switch are its hosts, then the next switch, then the one before.
func newRing(t testing.TB, seed uint64, c Config, switches, hosts int) *ring {
	r := &ring{
		network: newNetwork(t, seed), switches: switches, hosts: hosts,
		clockwise: map[[2]int]bool{}, astray: map[int]bool{}, hops: map[kit.Handle]int{},
	}
	names := map[sluice.SwitchID]string{}
	var wires []cable
	for s := range switches {
		names[torID(s)] = fmt.Sprintf("T%d", s)
		for h := range hosts {
			names[hostID(s, h, hosts)] = fmt.Sprintf("H%d.%d", s, h)
			wires = append(wires, cable{torID(s), hostID(s, h, hosts), access, Host, NIC})
		}
	}
	role := func() Role { return []Role{Down, Up}[r.Random.Below(2)] }
	for s := range switches {
		wires = append(wires, cable{torID(s), torID((s + 1) % switches), fabric, role(), role()})
	}
	r.build(c, names, wires)
	r.unordered = true
	r.Route = r.onward
	r.rightRoutes()
	return r
}

func (r *ring) rightRoutes() {
	clear(r.astray)
	for s := range r.switches {
		for d := range r.switches {
			r.clockwise[[2]int{s, d}] = (d-s+r.switches)%r.switches <= r.switches/2
		}
	}
}

// side returns the port of a switch to one of its neighbours in the ring.
func (r *ring) side(s int, clockwise bool) sluice.PortID {
	next := torID((s + 1) % r.switches)
	if !clockwise {
		next = torID((s + r.switches - 1) % r.switches)
	}
	for i, l := range r.Node(torID(s)).Links {
		if l.Peer.ID == next && i >= r.hosts {
			return sluice.PortID(i)
		}
	}
	panic("no such neighbour")
}

// onward writes the path of a packet that is at a node, as far as a path goes; false if it went too
// far.
func (r *ring) onward(v *testnet.Node, h kit.Handle) bool {
	item := r.Store.At(h)
	if v.Host() {
		r.hops[h] = 0
	} else if r.hops[h]++; r.hops[h] > hopLimit {
		r.expired++
		return false
	}
	to := item.Value.Flow.To
	rack, host := int(to)/r.hosts, int(to)%r.hosts
	item.Path = sluice.Path{}
	at := int(v.ID) - 100
	if v.Host() {
		item.Path.Append(sluice.Hop{Switch: v.ID})
		at = int(v.ID) / r.hosts
	}
	for item.Path.Len() < sluice.MaxHops {
		port := sluice.PortID(host)
		if at != rack || r.astray[rack] {
			port = r.side(at, r.clockwise[[2]int{at, rack}])
		}
		item.Path.Append(sluice.Hop{Switch: torID(at), Port: port})
		if int(port) < r.hosts {
			item.Path.Append(sluice.Hop{Switch: to})
			break
		}
		at = int(r.Node(torID(at)).Links[port].Peer.ID) - 100
	}
	return true
}

func (r *ring) below(n int) int { return int(r.Random.Below(uint64(n))) }

func (r *ring) during(n sluice.Time) sluice.Time { return sluice.Time(r.Random.Below(uint64(n))) }

// trouble has routes go wrong, links fail and switches start anew, one after the other, and all be
// right at the end.
func (r *ring) trouble(loops, flaps, restarts bool) {
	const each = 8 * sluice.Microsecond
	for i := range 6 {
		begin := sluice.Time(i)*each + r.during(each/2)
		if loops {
			r.At(begin, func() {
				r.note("routes go wrong")
				rack, way := r.below(r.switches), r.below(2) == 0
				switch r.below(3) {
				case 0: // all the way round
					r.astray[rack] = true
					for s := range r.switches {
						r.clockwise[[2]int{s, rack}] = way
					}
				case 1: // round, as far as the right switch
					for s := range r.switches {
						r.clockwise[[2]int{s, rack}] = way
					}
				default: // to and fro
					r.clockwise[[2]int{r.below(r.switches), rack}] = way
				}
			})
			r.At(begin+r.during(2*each), r.rightRoutes)
		}
		if flaps && r.below(2) == 0 {
			v := r.Node(torID(r.below(r.switches)))
			port := sluice.PortID(r.below(len(v.Links)))
			down, lasts := begin+r.during(each/2), r.during(each/4)
			later := r.during(100 * sluice.Nanosecond)
			r.At(down, func() {
				v.Fail(port, testnet.Failure{Packets: true, Flush: 50, Lasts: lasts, Later: later})
			})
		} else if restarts && r.below(2) == 0 {
			r.At(begin+r.during(each/2), r.Node(torID(r.below(r.switches))).Restart)
		}
	}
	r.At(12*each, r.rightRoutes)
}

func (r *ring) traffic(flows, packets int) {
	n := r.switches * r.hosts
	for range flows {
		src, dst := r.below(n), r.below(n)
		if r.below(2) == 0 {
			dst = 0 // an incast
		}
		if src == dst {
			continue
		}
		var path sluice.Path
		path.Append(sluice.Hop{Switch: sluice.SwitchID(src)})
		path.Append(sluice.Hop{Switch: sluice.SwitchID(dst)})
		r.send(path, packets, r.during(40*sluice.Microsecond))
	}
}

func ringConfig(r func(int) int) Config {
	return Config{
		Organisation: Organisation(r(2)), MTU: 1000, Roots: 64, IQs: 200,
		Child: ChildRule(r(2)), UpPorts: UpRule(r(3)), AbdicateUp: r(2) == 0,
		Merge: MergeRule(max(0, r(4)-1)), KeepPaused: r(3) == 0, FreeMerged: r(3) == 0,
		Pause:  sluice.Ratio{Num: 2, Den: []int64{1, 4, 16}[r(3)]},
		Resume: sluice.Ratio{Num: 1, Den: 16},
	}
}

// troubled runs a ring of a seed to the end: everything arrives that was not lost, and nothing is
// left paused or assigned.
func troubled(t *testing.T, seed uint64, loops, flaps, restarts bool) (expired int) {
	random := prng.New(seed + 1000)
	pick := func(n int) int { return int(random.Below(uint64(n))) }
	c := ringConfig(pick)
	r := newRing(t, seed, c, 3+pick(3), 1+pick(3))
	r.Every = 1999
	r.trouble(loops, flaps, restarts)
	r.traffic(10+pick(20), 60)
	r.Run(20 * sluice.Millisecond)
	r.finish()
	return r.expired
}

// Routes form loops, the case of section VII, and links fail and switches start anew besides: when
// the loop has gone nothing is left of it.
func TestLoops(t *testing.T) {
	seeds := depth.Choose(4, 4, 10, 16)
	expired := 0
	for seed := range seeds {
		for trouble := range 4 {
			flaps, restarts := trouble&1 != 0, trouble&2 != 0
			expired += troubled(t, uint64(seed), true, flaps, restarts)
		}
	}
	require.NotZero(t, expired, "packets went round until their hops were used up")
}

// In these two switches of the circle held for each other what waited for one root: packets that
// went round away from it and packets that went towards it, which shared the account of an ingress.
func TestDetoursSendNoPause(t *testing.T) {
	for _, seed := range []uint64{17, 67} {
		troubled(t, seed, true, false, false)
	}
}
