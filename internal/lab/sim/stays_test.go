package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
)

// besideAnIncast is a job of eight ranks on two racks of five hosts and two spines, while hosts of
// both racks send to one host.
func besideAnIncast(t testing.TB, fc string, repeat int) *fabric.Run {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 2, HostsPerRack: 6, Spines: 2, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	r := &fabric.Run{Protocol: fc, Topology: g, Seed: 2}
	for host := sluice.SwitchID(1); host < 12; host++ {
		r.Flows = append(r.Flows, workload.Flow{Src: host, Dst: 0, Bytes: 100_000, DstPort: 9})
	}
	s, err := schedule.CollectiveNamed("allreduce-ring").Make(8, 400*sluice.KB)
	require.NoError(t, err)
	job := schedule.Job{
		Name: "ring", Schedule: s, Repeat: repeat, First: len(r.Flows),
		Hosts: []sluice.SwitchID{6, 1, 7, 2, 8, 3, 9, 4},
	}
	r.Jobs, r.Flows = []schedule.Job{job}, append(r.Flows, job.Flows()...)
	registry, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	r.Values, err = registry.Parse("buffer=700KB,window=200KB")
	require.NoError(t, err)
	return r
}

// waitKey names a message and a port.
type waitKey struct {
	flow int32
	at   sluice.Hop
}

// waited is what a message waited at a port, in the model.
type waited struct{ queued, held sluice.Time }

// modelOfWaits looks at every packet in every queue after each event: until the next all stays as
// it is.
type modelOfWaits struct {
	last sluice.Time
	now  map[waitKey]bool // messages with a packet at a port: whether one is in a held queue
	sums map[waitKey]waited
}

func (m *modelOfWaits) look(s *sim.Simulator) error {
	for key, held := range m.now {
		sum := m.sums[key]
		sum.queued += s.Now() - m.last
		if held {
			sum.held += s.Now() - m.last
		}
		m.sums[key] = sum
	}
	m.last = s.Now()
	clear(m.now)
	s.MessagePackets(func(flow int32, at sluice.Hop, q sluice.QueueID, machine kit.Machine) {
		held := !machine.Sendable(at.Port, q)
		if kit.RootedOf(machine) != nil {
			held = kit.PausedByPeer(machine, at.Port, q)
		}
		key := waitKey{flow, at}
		m.now[key] = m.now[key] || held
	})
	return nil
}

// TestWaitsAreTheModels: where the packets of a job's messages wait, and how long they are held
// there, is what a look at all queues after each event sees, under every protocol. At its own host
// a packet that waits for the one before does not count.
func TestWaitsAreTheModels(t *testing.T) {
	someHeld := 0
	for i, p := range fabric.Protocols() {
		if i%depth.Choose(6, 6, 1) != 0 {
			continue
		}
		r := besideAnIncast(t, p.Name, 1)
		c, err := r.Embedding()
		require.NoError(t, err, p.Name)
		model := modelOfWaits{now: map[waitKey]bool{}, sums: map[waitKey]waited{}}
		c.Inspect = model.look
		s, err := sim.New(*c)
		require.NoError(t, err, p.Name)
		_, err = s.Run()
		require.NoError(t, err, p.Name)
		ours := map[waitKey]waited{}
		for _, w := range s.MessageWaits() {
			held := schedule.HeldWithin(w.Holds, 0, sluice.Never)
			ours[waitKey{w.Flow, w.At}] = waited{w.Queued, held}
			if held > 0 {
				someHeld++
			}
		}
		for key, want := range model.sums {
			if own := key.at.Switch == c.Flows[key.flow].Src; own {
				require.LessOrEqual(t, ours[key].queued, want.queued, "%s: %v", p.Name, key)
				require.LessOrEqual(t, ours[key].held, want.held, "%s: %v", p.Name, key)
				continue
			}
			require.Equal(t, want, ours[key], "%s: message %d at %v", p.Name, key.flow, key.at)
		}
		for key := range ours {
			require.Contains(t, model.sums, key, p.Name)
		}
	}
	require.Greater(t, someHeld, 20, "messages are held in this scenario")
}
