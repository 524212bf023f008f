package kit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

// puller is a host that gives its card a packet of a flow only while no root on its way is paused.
type puller struct {
	*bench
	card  *pyrrha.Port
	path  sluice.Path
	given int
}

func (p *puller) Woken(now sluice.Time, port sluice.PortID) { p.pull(now) }

func (p *puller) pull(now sluice.Time) {
	if _, blocked := p.card.Blocked(&p.path); blocked {
		return
	}
	h := p.packet("pulled")
	p.store.At(h).Path = p.path
	p.given++
	p.driver.Enqueue(now, 0, h)
}

// A PAUSE of a root on its way blocks a host that pulls, and a wake reports the RESUME: else the
// host would have to ask all the time.
func TestAHostThatPullsSeesWakes(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	config := pyrrha.HostConfig(link)
	config.Switch = 1
	machine, err := pyrrha.New(config)
	require.NoError(t, err)
	root := sluice.Hop{Switch: 9, Port: 3}
	path, _ := sluice.MakePath(sluice.Hop{Switch: 1}, sluice.Hop{Switch: 5, Port: 2}, root)
	host := &puller{bench: newBench(t, kit.Wrap(machine)), card: machine.Port(0), path: path}
	host.driver = kit.NewDriver(kit.Wrap(machine), host.store, host)

	frame := pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 2, Sequence: 1}
	require.NoError(t, host.driver.Receive(1000, 0, frame.AppendTo(nil)))
	host.pull(2000)
	require.Zero(t, host.given, "the root on its way is paused")
	frame.Type, frame.Hop, frame.Sequence = pyrrha.Resume, 0, 2
	host.given = 0
	require.NoError(t, host.driver.Receive(3000, 0, frame.AppendTo(nil)))
	require.Positive(t, host.given, "the RESUME woke the host")
}
