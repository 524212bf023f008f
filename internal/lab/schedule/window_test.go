package schedule

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// open returns a file of a text.
func open(t require.TestingT, dir, text string) *os.File {
	path := filepath.Join(dir, "trace.goal")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	file, err := os.Open(path)
	require.NoError(t, err)
	return file
}

// scattered is a random schedule whose operations stand in any order, so that they wait for others
// before and behind them, near and far. Of some ranks no receive waits for anything.
func scattered(t *rapid.T) *Schedule {
	n := rapid.IntRange(1, 4).Draw(t, "ranks")
	steps := rapid.IntRange(0, 40).Draw(t, "steps")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	local := rapid.SampledFrom([]int{1, 3, 40}).Draw(t, "how far")
	free := random.IntN(2) == 0 // receives wait for nothing
	type one struct {
		o    Operation
		ends []edge // waits, on: places in logical order
	}
	ranks := make([][]one, n)
	add := func(rank int, o Operation) {
		r := ranks[rank]
		k, new := len(r), one{o: o}
		for range random.IntN(3) {
			if k == 0 || free && o.Kind == Recv {
				break
			}
			on := max(0, k-1-random.IntN(2*local))
			start := random.IntN(4) == 0 && (!free || r[on].o.Kind != Recv)
			new.ends = append(new.ends, edge{int32(k), int32(on), start})
		}
		ranks[rank] = append(r, new)
	}
	for range steps {
		rank, to := random.IntN(n), random.IntN(n)
		tag, cpu := uint32(random.IntN(3)), uint8(random.IntN(2))
		switch random.IntN(4) {
		case 0:
			add(rank, Operation{Kind: Calc, Size: int64(random.IntN(20)), CPU: cpu})
		case 1:
			add(rank, Operation{Kind: Send, Peer: int32(to), Size: 10, Tag: tag, CPU: cpu})
			add(to, Operation{Kind: Recv, Peer: int32(rank), Size: 10, Tag: tag})
		default:
			add(rank, Operation{Kind: Send, Peer: int32(to), Size: 10, Tag: uint32(1000 + len(ranks[rank]))})
			add(to, Operation{Kind: Recv, Peer: int32(rank), Size: 10, Tag: uint32(999 + len(ranks[rank]))})
			if rank == to { // the receive's tag must be the send's
				r := ranks[rank]
				r[len(r)-1].o.Tag = r[len(r)-2].o.Tag
			}
		}
	}
	b := NewBuilder(n)
	for rank, list := range ranks {
		// Places in the file: each goes up to local places from where it was.
		order := make([]int, len(list))
		for i := range order {
			order[i] = i
		}
		for i := range order {
			k := min(len(order)-1, i+random.IntN(local))
			order[i], order[k] = order[k], order[i]
		}
		labels := make([]Label, len(list))
		for _, i := range order {
			labels[i] = b.Add(rank, list[i].o)
		}
		for _, one := range list {
			for _, e := range one.ends {
				b.connect(rank, labels[e.waits], labels[e.on], e.start)
			}
		}
	}
	s, err := b.Build()
	require.NoError(t, err)
	return s
}

// seen is what comes out of a job.
type seen struct {
	ends     [][]sluice.Time
	sums     []Times
	critical []Step
	finished int
	sent     []workload.Flow
	at       map[int32]sluice.Time
}

// jobOf returns a job whose ranks are on hosts in their order.
func jobOf(s *Schedule, repeat, perHost int) *Job {
	job := &Job{Name: "j", Schedule: s, Repeat: repeat, First: 5}
	for rank := range s.Ranks {
		job.Hosts = append(job.Hosts, sluice.SwitchID(rank/perHost))
	}
	return job
}

// carriedOut drives a job over a network in which messages take times that depend on their index.
func carriedOut(t require.TestingT, s *Schedule, repeat, perHost int) seen {
	job := jobOf(s, repeat, perHost)
	var v seen
	v.at = map[int32]sluice.Time{}
	leaves := func(flow int32) sluice.Time { return sluice.Time(1+flow%7) * sluice.Nanosecond }
	delay := func(flow int32) sluice.Time { return sluice.Time(1+flow*flow%31) * sluice.Nanosecond }
	r, e := carryOutSeen(job, wire{leaves, delay}, func(m *Message, now sluice.Time) {
		v.at[m.Flow] = now
	})
	require.NoError(t, e.Err)
	for k := range job.iterations() {
		v.ends = append(v.ends, r.Ends(k))
	}
	v.sums, v.finished = r.sums, e.Finished
	var err error
	v.critical, err = r.Critical(func(flow int) sluice.Time { return v.at[int32(flow)] })
	require.NoError(t, err)
	if s.InWindow() {
		v.sent = make([]workload.Flow, job.Messages())
		require.NoError(t, r.Unread(func(int32) bool { return true }, func(m *Message) {
			v.sent[int(m.Flow)-job.First] = job.Flow(m)
		}))
	} else {
		v.sent = append([]workload.Flow{}, job.Flows()...)
	}
	return v
}

// TestAWindowChangesNothing: whatever the window, what comes out is the same to the picosecond, of
// a text and of a binary file, with operations that wait for others near and far, before and behind
// them in the file.
func TestAWindowChangesNothing(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := scattered(t)
		var text, binary bytes.Buffer
		require.NoError(t, s.WriteText(&text))
		require.NoError(t, s.WriteBinary(&binary))
		repeat, perHost := rapid.IntRange(1, 3).Draw(t, "repeat"), rapid.IntRange(1, 2).Draw(t, "a host")
		want := carriedOut(t, s, repeat, perHost)
		for _, window := range []int{1, 2, 8, 1000} {
			for _, content := range []string{text.String(), binary.String()} {
				file := open(t, dir, content)
				windowed, err := ReadInWindow(file, "trace.goal", window)
				file.Close()
				require.NoError(t, err)
				require.Equal(t, s.Operations(), windowed.Operations())
				require.Equal(t, want, carriedOut(t, windowed, repeat, perHost), "window %d", window)
			}
		}
	})
}

// TestAWindowOfATraceChangesNothing: of a trace, in which collectives of all ranks are nodes, too.
func TestAWindowOfATraceChangesNothing(t *testing.T) {
	kinds := []int64{allReduce, allGather, reduceScatter, allToAll, broadcast}
	rapid.Check(t, func(t *rapid.T) {
		var collectives []traceNode
		for i, kind := range rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 4).Draw(t, "collectives") {
			n := traceNode{id: 10_000 + uint64(i), kind: collectiveNode,
				numbers: map[string]int64{"comm_type": kind, "comm_size": 1002}}
			if i > 0 && rapid.Bool().Draw(t, "waits") {
				n.data = append(n.data, n.id-1)
			}
			collectives = append(collectives, n)
		}
		files, _ := written(t, scattered(t), collectives...)
		whole, err := readTrace(ChakraOptions{}, files...)
		require.NoError(t, err)
		repeat := rapid.IntRange(1, 3).Draw(t, "repeat")
		want := carriedOut(t, whole, repeat, 1)
		for _, window := range []int{1, 2, 8, 1000} {
			windowed, err := readTraceInWindow(window, ChakraOptions{}, files...)
			require.NoError(t, err)
			require.Equal(t, whole.Operations(), windowed.Operations())
			require.Equal(t, want, carriedOut(t, windowed, repeat, 1), "window %d", window)
		}
	})
}

// requireAlike compares what Read and ReadInWindow say of the same input. The window names a circle
// with its line, before what is wrong in ranks behind it, and receives that no message matches at
// the end of the run.
func requireAlike(t *testing.T, s, windowed *Schedule, err, errInWindow error) {
	t.Helper()
	const circle, unmatched = "the first: a circle", "the others would never end"
	switch {
	case errInWindow != nil && strings.HasSuffix(errInWindow.Error(), circle):
		require.Error(t, err)
	case err != nil && strings.HasSuffix(err.Error(), unmatched):
		require.NoError(t, errInWindow)
		if windowed.Operations() > mostWindows {
			return // it might need a larger window
		}
		at := func(int32) sluice.Time { return sluice.Nanosecond }
		r, e := carryOut(jobOf(windowed, 1, 1), wire{at, at})
		require.NoError(t, e.Err)
		require.Less(t, e.Finished, windowed.Ranks)
		require.Contains(t, r.Stuck(), "waits for its message")
	case err != nil:
		require.EqualError(t, errInWindow, err.Error())
	default:
		require.NoError(t, errInWindow)
		if require.Equal(t, s.Operations(), windowed.Operations()); s.Operations() <= mostWindows {
			require.Equal(t, carriedOut(t, s, 2, 1), carriedOut(t, windowed, 2, 1))
		}
	}
}

// TestAWindowStaysSmall: ranks that go round and round have few operations open, however many there
// are in all.
func TestAWindowStaysSmall(t *testing.T) {
	b := NewBuilder(2)
	for rank := range 2 {
		var last Label
		for k := range 5000 {
			send := b.Send(rank, 1-rank, 10, uint32(k))
			got := b.Recv(rank, 1-rank, 10, uint32(k))
			if k > 0 {
				b.Requires(rank, send, last)
			}
			last = got
		}
	}
	s, err := b.Build()
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, s.WriteText(&text))
	windowed, err := ReadInWindow(open(t, t.TempDir(), text.String()), "trace.goal", 16)
	require.NoError(t, err)
	job := &Job{Name: "j", Schedule: windowed, Hosts: []sluice.SwitchID{0, 1}}
	most := 0
	r := NewRanks(job)
	carryOutRanks(r, wire{
		func(int32) sluice.Time { return sluice.Nanosecond },
		func(int32) sluice.Time { return 3 * sluice.Nanosecond },
	}, func(m *Message, _ sluice.Time) {
		for rank := range r.ranks {
			most = max(most, r.ranks[rank].window.open)
		}
	})
	require.NotEqual(t, sluice.Never, r.Ends(0)[0])
	require.LessOrEqual(t, most, 2)
}

// TestAWindowThatIsTooSmallIsAnError: an operation that is never done until the last one is keeps
// its piece, but what keeps all others, too, is named with its line.
func TestAWindowThatIsTooSmallIsAnError(t *testing.T) {
	var text strings.Builder
	text.WriteString("num_ranks 1\nrank 0 {\nfirst: calc 10\n")
	for range 2 * mostWindows {
		text.WriteString("calc 10\n")
	}
	text.WriteString("}\n")
	s, err := ReadInWindow(open(t, t.TempDir(), text.String()), "trace.goal", 1)
	require.NoError(t, err)
	r, e := NewRanks(&Job{Name: "j", Schedule: s, Hosts: []sluice.SwitchID{0}}), Effects{}
	r.Begin(&e, 0, 0)
	require.EqualError(t, e.Err, "trace.goal:3: rank 0, operation 1 (calc 10) is not done, and what "+
		"could be due goes on to line 259: more than 256 operations of a rank are open; a larger "+
		"window=, or window=0 to have all in memory, helps")
}

// TestErrorsOfAWindow: a file is checked before the job runs, as a file in memory is, and a circle
// has the line, too.
func TestErrorsOfAWindow(t *testing.T) {
	for text, want := range map[string]string{
		"num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n": "f:3: rank 0, operation 1 (calc 1) waits " +
			"for the first: a circle",
		"num_ranks 2\nrank 1 {}\nrank 0 {\na requires b\n}\n": `f:4: rank 0 has no label "a"`,
		"num_ranks 2\nrank 1 {}\n": "f:3: the file ends after 1 of 2 ranks: rank 0 has no " +
			"block",
		cookie + "\x01\x00\x00\x00\x00\x00": "f: at byte 14: the file ends within the list of its 1 " +
			"ranks",
	} {
		_, err := ReadInWindow(open(t, t.TempDir(), text), "f", 4)
		require.EqualError(t, err, want)
	}
	s := &Schedule{Ranks: 1, first: []int32{0, 1}, waits: []int32{1}, after: []int32{0},
		operations: []Operation{{Kind: Calc, Size: 1}}, afterAt: []int32{0, 1}, besidesAt: []int32{0, 0}}
	var binary bytes.Buffer
	require.NoError(t, s.WriteBinary(&binary))
	_, err := ReadInWindow(open(t, t.TempDir(), binary.String()), "f", 4)
	require.EqualError(t, err, "f: at byte 38: rank 0, operation 1 (calc 1) waits for the first: a circle")
	_, err = ReadInWindow(open(t, t.TempDir(), "num_ranks 1\nrank 0 {}\n"), "f", MaxWindow+1)
	require.ErrorContains(t, err, "window")
}

// TestAReceiveWithoutAMessageIsNamed: where the file has it, at the end of the run.
func TestAReceiveWithoutAMessageIsNamed(t *testing.T) {
	const text = "num_ranks 2\nrank 0 {\ncalc 5\n}\nrank 1 {\nrecv 5b from 0 tag 3\n}\n"
	s, err := ReadInWindow(open(t, t.TempDir(), text), "f.goal", 4)
	require.NoError(t, err)
	r, _ := carryOut(&Job{Name: "j", Schedule: s, Hosts: []sluice.SwitchID{0, 1}}, wire{})
	require.Equal(t, "1 of 2 ranks of job j are not done; rank 1, operation 1 (recv 5b from 0 tag 3) "+
		"at line 6 of f.goal waits for its message", r.Stuck())
}
