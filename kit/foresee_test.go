package kit_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

// The ports of a switch lie side by side, and so does what a driver keeps of them: what the hooks
// of a port touch is as far from the next port's everywhere. Foresee leaves lines alone for a port
// that does not exist.
func TestForesee(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	config := pfc.Config{Buffer: sluice.MiB, Classes: sluice.NoClasses}
	for range 4 {
		config.Ports = append(config.Ports, pfc.PortConfig{Link: link})
	}
	s, err := pfc.New(config)
	require.NoError(t, err)
	store, err := kit.NewStore[int](1)
	require.NoError(t, err)
	d := kit.NewDriver(kit.Wrap[*pfc.Switch, *pfc.Port, pfc.Frame](s), store, nil)

	var at [4][4]uintptr
	for i := range at {
		d.Foresee(sluice.PortID(i), 3, &at[i])
		require.Equal(t, uintptr(unsafe.Pointer(s.Port(sluice.PortID(i)))), at[i][2], "the port itself")
		require.Equal(t, at[i][2]+4*64, at[i][3], "and the queue of the class")
	}
	for i := range at[:3] {
		for line := range at[i] {
			require.Equal(t, at[1][line]-at[0][line], at[i+1][line]-at[i][line], "line %d", line)
		}
	}
	hung := hungMachine{d.Machine()}
	var behind [4]uintptr
	kit.NewDriver(hung, store, nil).Foresee(2, 3, &behind)
	require.Equal(t, at[2][2:], behind[2:], "of hooks that hand all to others, those others")

	f := [4]uintptr{1, 2, 3, 4}
	d.Foresee(4, 3, &f)
	require.Equal(t, [4]uintptr{1, 2, 3, 4}, f)
}

// hungMachine is hung on another machine, and its hooks on the other's.
type hungMachine struct{ kit.Machine }

func (m hungMachine) Hooks(port sluice.PortID) kit.Hooks {
	return hungHooks{kit.HooksOf(m.Machine, port)}
}

type hungHooks struct{ kit.Hooks }

func (h hungHooks) Unwrap() kit.Hooks { return h.Hooks }

// The queue that a packet joined last is foreseen as the queue that the next packet joins or
// leaves.
func TestJoined(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	config := pfc.Config{
		Buffer: sluice.MiB, Classes: sluice.NoClasses,
		Ports: []pfc.PortConfig{{Link: link}, {Link: link}},
	}
	m, err := kit.WrapNew(pfc.New(config))
	require.NoError(t, err)
	b := newBench(t, m)
	b.busy[0], b.busy[1] = true, true
	for _, class := range []sluice.Class{3, 5} {
		for port := range sluice.PortID(2) {
			h := b.packet("packet")
			b.store.At(h).Class = class + sluice.Class(port)
			b.driver.Enqueue(0, port, h)
			q, line := b.driver.Joined(port)
			require.Equal(t, h, q.Head(), "class %d, port %d", class, port)
			var lines [4]uintptr
			b.driver.Foresee(port, class+sluice.Class(port), &lines)
			require.Equal(t, lines[3], line)
		}
	}
}
