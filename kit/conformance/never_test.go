package conformance

import (
	"reflect"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/fabric/floodgate"
	"github.com/sluicefc/sluice/internal/lab/fabric/voq"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
	"github.com/stretchr/testify/require"
)

// TestNeverIsMisuse: a hook called at Never counts a misuse, except Next and PollFrame where they
// need no time, and uses the latest time seen. Bytes that are no frame count as Malformed besides.
func TestNeverIsMisuse(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	made := func(m kit.Machine, err error) kit.Machine {
		require.NoError(t, err)
		return m
	}
	network := portfc.NDC{N: 4, K: 1}
	machines := []kit.Machine{
		made(kit.WrapNew(pfc.New(pfc.HostConfig(link)))),
		made(kit.WrapNew(bfc.New(bfc.HostConfig(link)))),
		made(kit.WrapNew(ofc.New(ofc.HostConfig(link)))),
		made(kit.WrapNew(portfc.New(portfc.NodeConfig(network, 0, link)))),
		made(kit.WrapNew(pyrrha.New(pyrrha.HostConfig(link)))),
		made(kit.WrapNew(cbfc.New(cbfc.HostConfig(link)))),
		made(kit.WrapNew(voq.New(voq.HostConfig(link)))),
		made(kit.WrapNew(floodgate.New(floodgate.HostConfig(link)))),
	}
	for _, m := range machines {
		s := reflect.ValueOf(kit.Unwrap(m))
		counter := func(name string) uint64 {
			return s.MethodByName("Counters").Call(nil)[0].FieldByName(name).Uint()
		}
		misuse := func() uint64 { return counter("Misuse") - m.Counters(0).Misuse } // of no port
		packet := sluice.Packet{Size: 1000, Ingress: sluice.Local, Stamped: true}
		packet.Path.Append(sluice.Hop{Switch: 0}) // from PortFC's node 0 to node 1
		packet.Path.Append(sluice.Hop{Switch: network.SwitchOf(0, 0), Port: 1})
		require.Equal(
			t, sluice.Append, m.Enqueue(sluice.Microsecond, 0, &packet).Action(), "%v", s.Type(),
		)
		refused := sluice.Packet{Ingress: sluice.Local}
		for i, hook := range []func(){
			func() { m.Enqueue(sluice.Never, 0, &refused) },
			func() { m.Dequeue(sluice.Never, 0, 0, &packet) },
			func() {
				_, err := m.Receive(sluice.Never, 0, nil)
				require.Error(t, err)
			},
			func() {
				_, err := m.Receive(sluice.Never, 0, make([]byte, 60))
				require.Error(t, err)
			},
			func() { m.LinkDown(sluice.Never, 0) },
			func() { m.LinkUp(sluice.Never, 0) },
			func() { m.Expire(sluice.Never) },
		} {
			hook()
			require.EqualValues(t, i+1, misuse(), "hook %d of %v", i, s.Type())
		}
		require.EqualValues(t, 2, counter("Malformed"), "%v", s.Type())
		_, err := m.Receive(2*sluice.Microsecond, 0, nil)
		require.Error(t, err)
		require.EqualValues(t, 7, misuse(), "the time was none: %v", s.Type())
	}
}
