package view

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// jobPage runs a job beside an incast and a second job, under two protocols and in every variant of
// the scenario, and returns what the page has by name.
func jobPage(t *testing.T) ([]*run.Outcome, map[string][]byte) {
	scenario, err := papers.All.Find("training/data-parallel")
	require.NoError(t, err)
	s, err := papers.All.Prepare(scenario, run.Request{
		Seed: 1, Protocols: []string{"pfc", "pyrrha"}, Set: []string{
			"k=4,training.ranks=6,training.bytes=400KB,training.parts=2,training.compute=30us",
			"duration=50us,incast.degree=64,incast.roots=2",
		},
		Schedules: []string{"allreduce-ring,ranks=4,bytes=100KB,place=random,start=20us,repeat=2"},
	})
	require.NoError(t, err)
	var outcomes []*run.Outcome
	var recorders []*Recorder
	for _, trial := range s.Trials() {
		r := NewRecorder(trial.Subject.Graph, len(trial.Subject.Flows))
		o, err := trial.Subject.WatchedBy(r).Simulate(trial.FC, false, nil)
		require.NoError(t, err)
		outcomes, recorders = append(outcomes, o), append(recorders, r)
	}
	var b bytes.Buffer
	require.NoError(t, Write(&b, s, outcomes, recorders))
	blocks := map[string][]byte{}
	for _, m := range regexp.MustCompile(`(?s)<script type="text/plain" id="(\w+)">(.*?)</script>`).
		FindAllStringSubmatch(b.String(), -1) {
		blocks[m[1]] = unpacked(t, m[2])
	}
	return outcomes, blocks
}

func unpacked(t *testing.T, text string) []byte {
	zipped, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	require.NoError(t, err)
	raw, err := io.ReadAll(z)
	require.NoError(t, err)
	return raw
}

func TestAPageOfJobs(t *testing.T) {
	outcomes, blocks := jobPage(t)
	t.Run("timelines", func(t *testing.T) { checkTimelines(t, outcomes, blocks) })
	t.Run("operations", func(t *testing.T) { checkOperations(t, outcomes, blocks) })
	t.Run("flows", func(t *testing.T) { checkFlows(t, outcomes, blocks) })
}

// The page has of every rank the spans of the timeline, with what it was held for.
func checkTimelines(t *testing.T, outcomes []*run.Outcome, blocks map[string][]byte) {
	var p page
	require.NoError(t, json.Unmarshal(blocks["about"], &p))
	require.Equal(t, "held", p.States[schedule.Held].Name)
	held := map[string]bool{}
	for i, o := range outcomes {
		r := varints{t, blocks[fmt.Sprintf("ranks%d", i)]}
		for k := range o.Result.Jobs {
			j := &o.Result.Jobs[k]
			require.Equal(t, j.Timeline, r.timeline(j))
			require.Equal(t, j.Name, p.Runs[i].Jobs[k].Name)
			for rank, host := range o.Subject.Jobs[k].Hosts {
				require.EqualValues(t, host, p.Runs[i].Jobs[k].Hosts[rank])
			}
			held[o.Run] = held[o.Run] || j.Spent.Held > 0
		}
		require.Empty(t, r.text)
		require.Empty(t, p.Runs[i].LeftOut)
	}
	require.Equal(t, map[string]bool{"pfc": true, "pyrrha": true}, held)
}

// The page has of every rank its computations, and the messages that it sent, when they began.
func checkOperations(t *testing.T, outcomes []*run.Outcome, blocks map[string][]byte) {
	for i, o := range outcomes {
		r := varints{t, blocks[fmt.Sprintf("operations%d", i)]}
		messages, computations := 0, sluice.Time(0)
		for k := range o.Result.Jobs {
			of := &o.Subject.Jobs[k]
			for rank, all := range r.operations(of.Schedule.Ranks) {
				for _, b := range all {
					operation := of.Schedule.Of(rank)[b.Number-1]
					if b.Flow < 0 {
						require.Equal(t, schedule.Calc, operation.Kind)
						require.EqualValues(t, operation.Size*1000, b.Lasts)
						computations += b.Lasts
						continue
					}
					messages++
					flow := &o.Result.Flows[b.Flow]
					require.Equal(t, schedule.Send, operation.Kind)
					require.EqualValues(t, operation.Peer, b.Peer)
					require.Equal(t, flow.Start, b.At)
					require.Equal(t, of.Hosts[rank], flow.Src)
					require.Equal(t, of.Hosts[b.Peer], flow.Dst)
				}
			}
		}
		require.Empty(t, r.text)
		first := o.Subject.Jobs[0].First
		require.Equal(t, len(o.Subject.Flows)-first, messages)
		want := sluice.Time(0) // a rank of these jobs computes one thing at a time
		for k := range o.Result.Jobs {
			want += o.Result.Jobs[k].Spent.Computation * sluice.Time(len(o.Subject.Jobs[k].Hosts))
		}
		require.Equal(t, want, computations)
	}
}

// Variants of a scenario have flows of their own, and each run names the list that it carried.
func checkFlows(t *testing.T, outcomes []*run.Outcome, blocks map[string][]byte) {
	var p page
	require.NoError(t, json.Unmarshal(blocks["about"], &p))
	require.Len(t, p.Flows, 3, "alone, beside the incast, beside a third job")
	for i, o := range outcomes {
		list := p.Flows[p.Runs[i].List]
		require.Len(t, list.Src, len(o.Subject.Flows))
		for k := range o.Subject.Flows {
			require.EqualValues(t, o.Subject.Flows[k].Src, list.Src[k])
			require.EqualValues(t, o.Subject.Flows[k].Bytes, list.Bytes[k])
		}
	}
}

// Where there is too little room a timeline is coarser, operations are left out, and notes say so.
func TestTimelinesAndOperationsAreBounded(t *testing.T) {
	j := sim.JobResult{Timeline: make([][]schedule.Span, 2), RankEnds: make([]sluice.Time, 2)}
	for rank := range j.Timeline {
		for i := range sluice.Time(1000) {
			at := 10_000*i + i*i%(997*sluice.Time(rank+1))
			j.Timeline[rank] = append(j.Timeline[rank], schedule.Span{
				From: at, To: at + 7000 + i%7, State: schedule.State(i / 20 % 2),
			})
		}
	}
	jobs := []sim.JobResult{j}
	whole, note := packRanks(jobs, 1_000_000)
	require.Empty(t, note)
	require.Equal(t, j.Timeline, (&varints{t, unpacked(t, whole)}).timeline(&j))
	text, note := packRanks(jobs, 3000)
	require.Less(t, len(text), 3000)
	require.Regexp(t, "at most [0-9]+ pieces, each with what it does most", note)
	var pieces int
	_, err := fmt.Sscanf(note, "the timeline of a rank has at most %d", &pieces)
	require.NoError(t, err)
	for rank, spans := range (&varints{t, unpacked(t, text)}).timeline(&j) {
		require.Equal(t, schedule.Coarse(j.Timeline[rank], 0, j.TimelineEnd(), pieces), spans)
	}

	var r Recorder
	for i := range 1000 {
		r.Begin(&sim.Begun{Rank: 1, Number: i*i%331 + 1, At: sluice.Time(i * i), Flow: -1, Lasts: 5})
	}
	text, note = r.packOperations(jobs, 100_000)
	require.Empty(t, note)
	require.Len(t, (&varints{t, unpacked(t, text)}).operations(2)[1], 1000)
	text, note = r.packOperations(jobs, 100)
	require.Empty(t, text)
	require.NotEmpty(t, note)
	r.operations = mostOperations
	r.Begin(&sim.Begun{})
	text, note = r.packOperations(jobs, 100_000)
	require.Empty(t, text)
	require.NotEmpty(t, note)
	text, note = packRanks(nil, 1000)
	require.Empty(t, text+note, "a run without jobs has neither")
	text, note = new(Recorder).packOperations(nil, 1000)
	require.Empty(t, text+note)
}
