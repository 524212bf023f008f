package pfc

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

var update = flag.Bool(
	"update",
	false,
	"rewrite the answers in testdata/*.txt; read the difference before you commit it",
)

// TestStories replays the scenarios of testdata/*.txt. A line is a comment, a command, or an
// answer, which begins with ">":
//
//	switch                              three ports at 100, 100 and 400 Gb/s, see storySwitch
//	at TIME                             time moves on, timers are served when due
//	enqueue OUT from IN class C size N times K
//	send OUT times K
//	receive PORT class C for QUANTA
//	state PORT class C
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := tell(t, string(want))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			require.Equal(t, string(want), got)
		})
	}
}

// storySwitch has dynamic thresholds with alpha 1/2 (1 for the fast port), and a watchdog.
func storySwitch() Config {
	config := Config{Buffer: 144_000, Classes: sluice.MakeClassSet(3, 4), Watchdog: Watchdog{
		Detection: 40 * sluice.Microsecond, Restoration: 40 * sluice.Microsecond,
		Poll: 20 * sluice.Microsecond,
	}}
	for _, rate := range []sluice.Rate{g100, g100, g400} {
		config.Ports = append(config.Ports, PortConfig{
			Link:  sluice.Link{Rate: rate},
			Pause: 3000,
			Profile: Profile{
				Alpha:        ScaleAlpha(ratio(1, 4), rate, g100),
				Reserve:      1000,
				ResumeOffset: 3000,
				Headroom:     3000,
			},
		})
	}
	return config
}

type story struct {
	*bench
	text strings.Builder
}

func tell(t *testing.T, script string) string {
	s := &story{}
	for _, line := range strings.SplitAfter(script, "\n") {
		if strings.HasPrefix(line, ">") {
			continue
		}
		s.text.WriteString(line)
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if words[0] == "switch" {
			s.bench = newBench(t, storySwitch())
		}
		s.do(strings.TrimSpace(line), words[0])
		for _, f := range s.take() {
			s.say("port %d sends %s of %v", f.port, f.Kind(), f.Enabled)
		}
	}
	return s.text.String()
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(&s.text, "> "+format+"\n", args...) }

// do carries out one command.
func (s *story) do(line, verb string) {
	var out, in sluice.PortID
	var class sluice.Class
	var n, times int
	var err error
	switch verb {
	case "switch":
		s.say("pool %d, X_off %d and %d", s.s.Pool(), s.s.Port(0).XOff(3), s.s.Port(2).XOff(3))
	case "at":
		var microseconds float64
		_, err = fmt.Sscanf(line, "at %fus", &microseconds)
		s.at(sluice.Time(microseconds * float64(sluice.Microsecond)))
	case "enqueue":
		_, err = fmt.Sscanf(
			line,
			"enqueue %d from %d class %d size %d times %d",
			&out,
			&in,
			&class,
			&n,
			&times,
		)
		s.count(times, func() string { return s.enqueue(out, in, class, n).String() })
	case "send":
		_, err = fmt.Sscanf(line, "send %d times %d", &out, &times)
		s.count(times, func() string {
			p, v, ok := s.bench.send(out)
			if !ok {
				return "nothing may go"
			}
			return fmt.Sprintf("class %d: %v", p.Class, v)
		})
	case "receive":
		_, err = fmt.Sscanf(line, "receive %d class %d for %d", &in, &class, &n)
		s.say("%v", s.receive(in, pauseOf(sluice.Quanta(n), class)))
	case "state":
		_, err = fmt.Sscanf(line, "state %d class %d", &in, &class)
		p := s.s.Port(in)
		s.say(
			"ingress %d, headroom %d, X_off %d, X_on %d, paused %t, held %t, storm %t; free %d",
			p.IngressBytes(class),
			p.HeadroomBytes(class),
			p.XOff(
				class,
			),
			p.XOn(class),
			p.Paused().Has(class),
			p.Held().Has(class),
			p.Storming().Has(class),
			s.s.Free(),
		)
	default:
		err = fmt.Errorf("no such command")
	}
	require.NoError(s.t, err, line)
}

// count calls do the given number of times, and reports its answers, equal ones together.
func (s *story) count(times int, do func() string) {
	last, same := "", 0
	flush := func() {
		if same > 0 {
			s.say("%d x %s", same, last)
		}
	}
	for range times {
		answer := do()
		if answer != last {
			flush()
			last, same = answer, 0
		}
		same++
	}
	flush()
}
