package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// pauser is a switch that sends one frame by port 0, before the first packet that leaves there.
type pauser struct {
	kit.Machine
	frame []byte
}

func (p *pauser) Unwrap() kit.Machine { return p.Machine }

func (p *pauser) PollFrame(
	_ sluice.Time, id sluice.PortID, buf []byte,
) (frame []byte, kind string, ok bool) {
	if id != 0 || p.frame == nil {
		return buf, "", false
	}
	frame, p.frame = append(buf, p.frame...), nil
	return frame, "pause", true
}

// TestOnePauseHoldsAMessageAsComputedByHand: rank 0 sends 40 packets over a switch, which pauses it
// once, before it passes the first acknowledgement on. PFC stops the packet that waits in the card
// when the pause comes; Pyrrha lets it go, as it is in the output queue, and holds the next one,
// whose path passes the root. What follows comes as much later as that packet waits.
func TestOnePauseHoldsAMessageAsComputedByHand(t *testing.T) {
	const packets, pause = 40, 5 * sluice.Microsecond
	root := sluice.Hop{Switch: 2, Port: 1} // towards rank 1
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: delay}
	quanta := sluice.Quanta(pause / link.Rate.TimeOfQuanta(1))
	pfcFrame := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(0)}
	pfcFrame.Time[0] = quanta
	for _, c := range []struct {
		name    string
		frame   []byte
		host    func(sluice.SwitchID) (kit.Machine, error)
		lasts   sluice.Time
		passing sluice.Time // packets that the pause lets go
		cause   schedule.Cause
	}{
		{
			"pfc", pfcFrame.AppendTo(nil),
			func(sluice.SwitchID) (kit.Machine, error) { return kit.WrapNew(pfc.New(pfc.HostConfig(link))) },
			link.Rate.TimeOfQuanta(quanta), 0, schedule.Cause{At: sluice.Hop{Switch: 0, Port: 0}},
		},
		{
			"pyrrha", (&pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 1, Sequence: 1}).AppendTo(nil),
			func(node sluice.SwitchID) (kit.Machine, error) {
				config := pyrrha.HostConfig(link)
				config.Switch, config.Expiry = node, pause
				return kit.WrapNew(pyrrha.New(config))
			},
			pause, 1, schedule.Cause{At: root, Root: true},
		},
	} {
		b := schedule.NewBuilder(2)
		b.Send(0, 1, packets*1460, 0)
		b.Recv(1, 0, packets*1460, 0)
		config := withJobs(config(star(2)), schedule.Job{
			Name: "j", Schedule: built(t, b), Hosts: []sluice.SwitchID{0, 1},
		})
		open := config.NewMachine
		config.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
			if node < 2 {
				return c.host(node)
			}
			m, err := open(node)
			return &pauser{m, c.frame}, err
		}
		packet := link.Rate.TimeOf(config.Payload + config.Header)
		// The first packet goes over two links, its acknowledgement over one, then the frame.
		paused := 2*packet + link.Rate.TimeOf(config.AckSize) +
			link.Rate.TimeOf(sluice.Bytes(len(c.frame))+kit.EthernetOverhead) + 4*delay
		begins := ((paused+packet-1)/packet + c.passing) * packet // when the packet is the next to go
		held := paused + c.lasts - begins
		require.Positive(t, held)

		job := &run(t, config).Jobs[0]
		end := (packets+1)*packet + 2*delay + held
		require.Equal(t, []sluice.Time{packets*packet + held, end}, job.RankEnds, c.name)
		require.Equal(t, schedule.Times{Exposed: end, Held: held}, job.SpentByLast, c.name)
		require.Equal(t, held, job.Spent.Held, c.name)
		require.Equal(t, []schedule.HeldFor{{Cause: c.cause, Time: held}}, job.Causes, c.name)
		line := []schedule.Span{
			{From: 0, To: begins, State: schedule.Exposed},
			{From: begins, To: begins + held, State: schedule.Held, For: c.cause},
			{From: begins + held, To: end, State: schedule.Exposed},
		}
		require.Equal(t, line, job.Timeline[1], c.name)
		line[2].To = job.RankEnds[0]
		require.Equal(t, line, job.Timeline[0], c.name)
		require.Equal(t, []schedule.Wait{{
			At: sluice.Hop{Switch: 0, Port: 0}, Queued: held, Held: held,
			For: []schedule.HeldFor{{Cause: c.cause, Time: held}},
		}}, job.Critical[0].Waits, c.name)
	}
}

// TestHeldTimesAreTheSameOnAnyNumberOfThreads: of a network that is cut, whose messages wait in all
// parts.
func TestHeldTimesAreTheSameOnAnyNumberOfThreads(t *testing.T) {
	for i, p := range fabric.Protocols() {
		if i%depth.Choose(4, 2, 1) != 0 {
			continue
		}
		result := func(threads int) *sim.Result {
			r := besideAnIncast(t, p.Name, 2)
			r.Threads, r.Windows = threads, func(events []int64) {
				require.Equal(t, threads > 1, len(events) > 1, "the network is cut")
			}
			result, err := r.Do()
			require.NoError(t, err)
			result.Wall = 0
			return result
		}
		want := result(1)
		if p.Name == "pfc" || p.Name == "pyrrha" {
			require.Positive(t, want.Jobs[0].Spent.Held, p.Name)
			require.NotEmpty(t, want.Jobs[0].Causes, p.Name)
		}
		for _, threads := range []int{2, 7} {
			require.Equal(t, want, result(threads), "%s, %d threads", p.Name, threads)
		}
	}
}
