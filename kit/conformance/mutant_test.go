package conformance

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// fault is the fault of a mutant of the toy.
type fault int

const (
	honest fault = iota
	losesBytes
	losesBytesAtDequeue
	namesWrongQueue
	namesNoQueue
	changesPacket
	keepsPointer
	reorders
	dropsWithoutReason
	dropsEarly
	forgetsWake
	forgetsWakeAtExpiry
	framesWithoutWake
	overlooksFrames
	waitsBySize
	waitsWithoutQueue
	forgetsDeadline
	nextForgets
	nextIgnoresPause
	nextAnswersEmpty
	forgetsResume
	sendsOldState
	neverQuiescent
	pollsForEver
	movesForEver
	expiresOnlyOne
	panicsOnBadIngress
	panicsOnHold
	acceptsBadClass
	countsBadSize
	trustsDequeue
	notDeterministic
	nextAlternates
	expiresEarly
	timeGoesBack
	allocates
	leaksMemory
	neverRenews
	overwritesBuffer
	writesFrame
	breaksOnce
	believesNever
	rebasesClockAlone
	obeysWhileDown
	sendsWhileDown
	keepsPauseOfDeadLink
	wakesOnlyWithPackets
	wakesOnRubbish
)

// TestMutants breaks the toy in one place at a time. The suite must find each, and name an
// invariant that it breaks.
func TestMutants(t *testing.T) {
	mutants := []struct {
		name  string
		fault fault
		part  func(rapid.TB, *Spec)
		want  string // numbers of the invariants that may be named
	}{
		{"loses bytes at enqueue", losesBytes, checkHooks, "1"},
		{"loses bytes at dequeue", losesBytesAtDequeue, checkHooks, "1"},
		{"accounts one queue and names another", namesWrongQueue, checkHooks, "1"},
		{"names a queue that does not exist", namesNoQueue, checkHooks, "1"},
		{"changes the packet", changesPacket, checkHooks, "1"},
		{"keeps the packet's pointer", keepsPointer, checkHooks, "14"},
		{"lets small packets overtake", reorders, checkHooks, "2"},
		{"drops without a reason", dropsWithoutReason, checkHooks, "3"},
		{"drops although all peers obey", dropsEarly, networkPart, "3"},
		{"forgets the wake of a resume", forgetsWake, checkHooks, "4"},
		{"forgets the wake of an expiry", forgetsWakeAtExpiry, checkHooks, "4"},
		{"has frames and says nothing", framesWithoutWake, checkHooks, "4"},
		{"has frames and says that it owes none", overlooksFrames, checkHooks, "4"},
		{"waits for packets by their size", waitsBySize, checkHooks, "7"},
		{"waits with a queue that does not exist", waitsWithoutQueue, checkHooks, "6"},
		{"starts a timer and says nothing", forgetsDeadline, checkHooks, "4"},
		{"forgets a queue in Next", nextForgets, checkHooks, "4"},
		{"lets a held queue send", nextIgnoresPause, checkHooks, "4"},
		{"answers an empty queue", nextAnswersEmpty, checkHooks, "4"},
		{"never lifts a pause", forgetsResume, networkPart, "5"},
		{"tells the peer what was, not what is", sendsOldState, networkPart, "5"},
		{"does not come to rest", neverQuiescent, networkPart, "5"},
		{"polls for ever", pollsForEver, checkHooks, "6"},
		{"moves for ever", movesForEver, checkHooks, "6"},
		{"serves one timer of several", expiresOnlyOne, checkHooks, "6"},
		{"panics on a bad ingress", panicsOnBadIngress, checkHooks, "6"},
		{"panics late", panicsOnHold, checkHooks, "6"},
		{"accepts a bad class", acceptsBadClass, checkHooks, "6"},
		{"counts a packet that it refuses", countsBadSize, checkHooks, "1"},
		{"trusts Dequeue", trustsDequeue, checkHooks, "6"},
		{"is not deterministic", notDeterministic, checkHooks, "7"},
		{"changes its mind in Next", nextAlternates, checkHooks, "7"},
		{"breaks once in a process", breaksOnce, checkHooks, "7"},
		{"expires early", expiresEarly, checkHooks, "67"},
		{"lets time go back", timeGoesBack, checkHooks, "67"},
		{"allocates", allocates, checkHooks, "8"},
		{"grows", leaksMemory, checkHooks, "8"},
		{"overwrites the buffer in AppendTo", overwritesBuffer, checkHooks, "6"},
		{"writes to the frame it parses", writesFrame, checkHooks, "6"},
		{"never renews a pause", neverRenews, networkPart, "3"},
		{"takes Never for a time", believesNever, checkHooks, "67"},
		{"rebases the clock and not the timers", rebasesClockAlone, checkHooks, "467"},
		{"obeys frames of a link that is down", obeysWhileDown, checkHooks, "6"},
		{"sends frames on a link that is down", sendsWhileDown, checkHooks, "46"},
		{"keeps the pause of a link that failed", keepsPauseOfDeadLink, checkHooks, "56"},
		{"wakes a port only if it has packets", wakesOnlyWithPackets, checkHooks, "4"},
		{"wakes a port for a frame that it refuses", wakesOnRubbish, checkHooks, "6"},
		{"keeps the pause of a link that failed in a network", keepsPauseOfDeadLink, faultsPart, "5"},
		{"rebases the clock and not the timers in a network", rebasesClockAlone, faultsPart, "4567"},
		{"deadlocks in a ring, though honest", honest, ringPart, "5"},
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			spec := toySpec(m.fault)
			output := ""
			for attempt := 0; output == "" && attempt < 30; attempt++ { // of -rapid.checks each
				scheduled = 0
				depth.OtherSeed(t, attempt)
				output = catch(func(tb rapid.TB) { m.part(tb, &spec) })
			}
			require.NotEmpty(t, output, "the suite found nothing")
			named := false
			for _, number := range m.want {
				named = named || strings.Contains(output, fmt.Sprintf("invariant %c (", number))
			}
			require.True(t, named, "want invariant %s in:\n%s", m.want, output)
			if testing.Verbose() {
				t.Log(output)
			}
		})
	}
}

// TestSpecThatTestsNothing: hostile frames that no machine accepts are a fault of the Spec.
func TestSpecThatTestsNothing(t *testing.T) {
	spec := toySpec(honest)
	spec.Frame = func(*rapid.T, kit.Machine, sluice.PortID) []byte { return []byte("rubbish") }
	require.Contains(
		t, catch(func(tb rapid.TB) { checkHooks(tb, &spec) }), "drawn by Spec.Frame was accepted",
	)
}

// TestNetworksThatSendNoFrame: thresholds that nothing reaches are a fault of the Spec, unless it
// says that there are no frames.
func TestNetworksThatSendNoFrame(t *testing.T) {
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	require.NoError(t, checks.Set("5")) // of a round, a fifth with -short, and there are many rounds
	t.Cleanup(func() { require.NoError(t, checks.Set(was)) })
	spec := toySpec(honest)
	draw := spec.Network.New
	spec.Network.New = func(t *rapid.T) Fabric {
		f := draw(t)
		node := f.Node
		f.Node = func(n Node) kit.Machine { return neverPauses(node(n)) }
		return f
	}
	require.Contains(t, catch(func(tb rapid.TB) { networkPart(tb, &spec) }), "no machine sent a frame")
	spec.Silent = true
	require.Empty(t, catch(func(tb rapid.TB) { networkPart(tb, &spec) }))
}

// TestNetworksThatSeldomSendAFrame: a machine that sends no frame in the first checks passes,
// because the suite repeats them until it sends one.
func TestNetworksThatSeldomSendAFrame(t *testing.T) {
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	require.NoError(t, err)
	spec, drawn := toySpec(honest), 0
	draw := spec.Network.New
	spec.Network.New = func(t *rapid.T) Fabric {
		f := draw(t)
		if drawn++; drawn > checks {
			return f
		}
		node := f.Node
		f.Node = func(n Node) kit.Machine { return neverPauses(node(n)) }
		return f
	}
	require.Empty(t, catch(func(tb rapid.TB) { networkPart(tb, &spec) }))
	require.Greater(t, drawn, checks)
}

// TestLossyNetworksLose: links of lossy networks lose, double and hold back frames, and with faults
// they lose packets; others do none of that.
func TestLossyNetworksLose(t *testing.T) {
	spec := toySpec(honest)
	require.Zero(t, checkNetwork(quiet{t}, &spec, circumstances{mishaps: true}).faults)
	var all testnet.Counts
	for range 10 {
		c := checkNetwork(quiet{t}, &spec, circumstances{lossy: true, mishaps: true})
		if fields.Add(&all, &c.faults); all.Strayed*all.Vanished*all.Twice*all.Delayed > 0 {
			return
		}
	}
	require.Fail(t, "something never happened", "%+v", all)
}

// neverPauses gives a toy a threshold that no queue reaches.
func neverPauses(m kit.Machine) kit.Machine {
	kit.Unwrap(m).(*toy).config.off = 1 << 40
	return m
}

func networkPart(tb rapid.TB, spec *Spec) { checkNetwork(tb, spec, circumstances{}) }

func faultsPart(tb rapid.TB, spec *Spec) { checkNetwork(tb, spec, circumstances{mishaps: true}) }

// ringPart lets the toy run where it must not: its pauses wait for each other round the ring.
func ringPart(tb rapid.TB, spec *Spec) {
	spec.Network.Ring = true
	checkNetwork(tb, spec, circumstances{})
}

func TestToy(t *testing.T) { Run(t, toySpec(honest)) }

// TestMain keeps rapid from writing files about mutants, and from shrinking them for long.
func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{
		"rapid.nofailfile": "true", "rapid.shrinktime": "5ms",
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func toySpec(f fault) Spec {
	return Spec{
		Name: "toy",
		New: func(t *rapid.T) func() kit.Machine {
			config := toyConfig{
				ports:    rapid.IntRange(1, 4).Draw(t, "ports"),
				off:      sluice.Bytes(rapid.IntRange(1000, 8000).Draw(t, "off")),
				headroom: sluice.Bytes(rapid.IntRange(0, 20000).Draw(t, "headroom")),
				hold:     sluice.Time(rapid.SampledFrom([]int64{0, 1_000_000, 5_000_000}).Draw(t, "hold")),
			}
			config.on = config.off - sluice.Bytes(rapid.IntRange(0, 900).Draw(t, "below off"))
			return func() kit.Machine { return wrapToy(newToy(config, f)) }
		},
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			frame := toyFrame{
				pause: rapid.Bool().Draw(t, "pause"), hold: sluice.Time(rapid.Int64().Draw(t, "hold")),
			}
			return frame.AppendTo(nil)
		},
		Describe: func(frame []byte) string {
			var f toyFrame
			if err := f.Parse(bytes.Clone(frame)); err != nil {
				return err.Error()
			}
			return fmt.Sprintf("for %v", f.hold)
		},
		Network: &Network{
			New: func(t *rapid.T) Fabric {
				return toyFabric(t, f, rapid.SampledFrom([]sluice.Time{
					0, 5 * sluice.Microsecond, 10 * sluice.Microsecond,
				}).Draw(t, "hold"), false)
			},
			Lossy: func(t *rapid.T) Fabric { return toyFabric(t, f, 5*sluice.Microsecond, true) },
		},
	}
}

// toyFabric makes toys whose headroom covers the bytes under way when a pause is sent: a packet
// that is being sent at either end, and both delays. A pause of 5 us is renewed in time over any
// link of the suite's.
func toyFabric(t *rapid.T, f fault, hold sluice.Time, brief bool) Fabric {
	off := sluice.Bytes(rapid.IntRange(1000, 8000).Draw(t, "off"))
	config := toyConfig{
		off: off, on: off / sluice.Bytes(rapid.SampledFrom([]int{1, 2, 20}).Draw(t, "off / on")),
		hold: hold, brief: brief,
	}
	return Fabric{Node: func(n Node) kit.Machine {
		config := config
		config.ports = len(n.Ports)
		for _, p := range n.Ports {
			config.headroom = max(config.headroom, p.Link.Rate.BytesInUp(p.Link.RoundTrip())+3*MTU+100)
		}
		return wrapToy(newToy(config, f))
	}}
}

// catch runs a check that must fail and returns its message.
func catch(check func(rapid.TB)) string {
	r := &recorder{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		check(r)
	}()
	return r.text.String()
}

// recorder is a test that records its failure.
type recorder struct {
	text   strings.Builder
	failed bool
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return "recorder" }

func (r *recorder) Logf(format string, args ...any) {
	if r.failed && !strings.HasPrefix(format, "[rapid] draw ") {
		fmt.Fprintf(&r.text, format+"\n", args...)
	}
}
func (r *recorder) Errorf(format string, args ...any) { r.failed = true; r.Logf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); r.FailNow() }
func (r *recorder) Skipf(format string, args ...any)  { r.Logf(format, args...); panic(any(r)) }
func (r *recorder) Log(args ...any)                   { r.Logf("%s", fmt.Sprint(args...)) }
func (r *recorder) Error(args ...any)                 { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *recorder) Fatal(args ...any)                 { r.Fatalf("%s", fmt.Sprint(args...)) }
func (r *recorder) Skip(args ...any)                  { r.Skipf("%s", fmt.Sprint(args...)) }
func (r *recorder) SkipNow()                          { panic(any(r)) }
func (r *recorder) Fail()                             { r.failed = true }
func (r *recorder) Failed() bool                      { return r.failed }
func (r *recorder) FailNow()                          { r.failed = true; panic(any(r)) }
