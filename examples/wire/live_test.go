package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPortDownAndUp: a cable fails in the middle, and comes back. Both ends count it, every packet
// is accounted for, and the flow goes on.
func TestPortDownAndUp(t *testing.T) {
	for _, protocol := range []string{"pfc", "pyrrha", "bfc"} {
		t.Run(protocol, func(t *testing.T) {
			s := defaults()
			s.protocol, s.control = protocol, filepath.Join(t.TempDir(), "control")
			var before, after []snapshot
			const lasts = time.Second
			l, all := steadily(t, s, func(l *lab) {
				time.Sleep(lasts)
				command(t, s, "down s0 0")
				time.Sleep(lasts / 2)
				before = l.snapshots()
				require.True(t, before[0].ports[0].down)
				require.True(t, before[3].ports[0].down)
				command(t, s, "up s0 0")
				time.Sleep(lasts)
				after = l.snapshots()
			})
			for _, p := range []portSnapshot{all[0].ports[0], all[3].ports[0]} {
				require.EqualValues(t, 1, p.Downs)
				require.EqualValues(t, 1, p.Ups)
				require.False(t, p.down)
			}
			again := after[2].sinks[0].received - before[2].sinks[0].received
			require.Greater(t, int(again), inTime(s, lasts)/4, "half of the bottleneck is its share")
			requireAccounted(t, l, all)
		})
	}
}

// requireAccounted checks that every packet that did not arrive was counted once, where it
// vanished. So were control frames that were on a cable that failed.
func requireAccounted(t *testing.T, l *lab, all []snapshot) {
	t.Helper()
	missing, vanished := 0, 0
	for f := range l.plan.flows {
		missing += l.missing(all, f)
		require.Zero(t, all[l.plan.flows[f].to].sinks[f].outOfOrder)
	}
	for _, s := range all {
		for id := range s.ports {
			p := &s.ports[id]
			vanished += int(p.vanished())
			missing += int(p.machine.FramesSent) - int(p.machine.FramesReceived)
		}
	}
	require.Equal(t, missing, vanished)
}

// TestThreshold: thresholds change while packets pass. Lower ones pause more often, and nothing is
// lost. The origin of every clock moves five times meanwhile.
func TestThreshold(t *testing.T) {
	s := defaults()
	s.control, s.day = filepath.Join(t.TempDir(), "control"), 500*time.Millisecond
	s.metrics = freeAddress(t)
	var high, low uint64
	pauses := func(l *lab) (n uint64) {
		l.nodes[3].do(func() { n = l.pauses(3, 0).PausesSent + l.pauses(3, 1).PausesSent })
		return n
	}
	const lasts = 1200 * time.Millisecond
	l, all := steadily(t, s, func(l *lab) {
		command(t, s, "threshold 60000 20000")
		time.Sleep(lasts)
		high = pauses(l)
		command(t, s, "threshold 6000 3000")
		time.Sleep(lasts)
		low = pauses(l) - high
		requireMetrics(t, s)
		require.Contains(t, answer(t, s, "threshold 3 4"), "error: -xon 4 and -xoff 3")
		require.Contains(t, answer(t, s, "down s0 7"), "error: s0 has ports 0 to 2")
		require.Contains(t, answer(t, s, "up nowhere 0"), `error: there is no "nowhere"`)
		require.Contains(t, answer(t, s, "hello"), "error: "+commandHelp)
	})
	requireLossless(t, l, all)
	requireHeard(t, l, all)
	require.Greater(t, low, 2*high, "a tenth of the hysteresis")
}

// requireMetrics asks for the counters as Prometheus does.
func requireMetrics(t *testing.T, s settings) {
	t.Helper()
	response, err := http.Get("http://" + s.metrics + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	for _, line := range []string{
		`wire_port_control_sent_total{kind="pause",node="s0",port="1"} `,
		`wire_flow_received_total{name="h0-h2",number="0"} `,
		`wire_port_dropped_total{node="s0",port="2",why="headroom exhausted"} 0`,
	} {
		require.Contains(t, string(text), line)
	}
}

func command(t *testing.T, s settings, line string) {
	t.Helper()
	require.Equal(t, "ok", answer(t, s, line))
}

// answer sends a line to the control socket.
func answer(t *testing.T, s settings, line string) string {
	t.Helper()
	connection, err := net.Dial("unix", s.control)
	require.NoError(t, err)
	defer connection.Close()
	_, err = fmt.Fprintln(connection, line)
	require.NoError(t, err)
	text, err := bufio.NewReader(connection).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSuffix(text, "\n")
}

func freeAddress(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
