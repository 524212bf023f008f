package view

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

//go:generate sh -c "cd ../../../.ci/page && go run ."

//go:embed page.js
var script string

//go:embed page.css
var style string

// mostBytes is how large a page is at most, in so far as leaving samples out helps.
const mostBytes = 10_000_000

type page struct {
	Title, Scenario, Changes, Command string
	Seed                              uint64
	Network                           string
	HostsForward                      bool
	Tier, Rack                        []int32     // by node
	Ports                             [][][]int64 // by node, then port: peer, its port, b/s, ps
	Flows                             []*flowList
	States                            []oneState // of ranks
	Runs                              []oneRun
}

// flowList has what is known of the flows of runs before they run, by flow.
type flowList struct {
	Src, Dst, Class []int32
	Bytes, Start    []int64
	Group           []string

	flows []workload.Flow
}

// oneRun is what is known of a run beside its tracks.
type oneRun struct {
	Label, FlowControl string
	List               int     // of flows
	End                int64   // ps
	FCT, Ideal         []int64 // by flow, ps; -1 for none
	Deadlock           string  // as the result names it
	Circle             [][2]int32
	Notes              []string
	Samples            int      // that are kept
	LeftOut            []string // what was
	Ways               [][]int64
	Failures           []string
	Jobs               []oneJob
}

// Write writes the page of runs of a subject, each with what its recorder kept. Samples are left
// out until the page has at most 10 MB, and the page says so. In a run with jobs timelines have a
// fifth of the room at most, and operations have another.
func Write(w io.Writer, s *run.Subject, outcomes []*run.Outcome, recorders []*Recorder) error {
	p := describe(s)
	room := (mostBytes - len(script) - len(style)) / max(len(outcomes), 1) / 10 * 9
	var runs bytes.Buffer
	for i, o := range outcomes {
		one := writeRun(&runs, i, o, recorders[i], room)
		one.List = p.list(o.Subject)
		p.Runs = append(p.Runs, one)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, head, html.EscapeString(p.Title), style)
	writeBlock(&b, "about", packed(text))
	b.Write(runs.Bytes())
	fmt.Fprintf(&b, "<script>%s</script>\n</body></html>\n", script)
	_, err = w.Write(b.Bytes())
	return err
}

const head = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style></head>
<body><noscript>This page draws with JavaScript, which is off.</noscript>
`

// writeBlock writes text for the page's program, if there is any.
func writeBlock(b *bytes.Buffer, id, text string) {
	if text != "" {
		fmt.Fprintf(b, "<script type=\"text/plain\" id=\"%s\">%s</script>\n", id, text)
	}
}

// writeRun writes what was kept of a run, in so much room as far as that is possible, and returns
// what is known of it.
func writeRun(b *bytes.Buffer, number int, o *run.Outcome, r *Recorder, room int) oneRun {
	ranks, coarser := packRanks(o.Result.Jobs, room/5)
	operations, missing := r.packOperations(o.Result.Jobs, room/5)
	room -= len(ranks) + len(operations)
	samples := packed(r.encode())
	for len(samples) > room && len(r.times) > 8 {
		r.halve()
		samples = packed(r.encode())
	}
	writeBlock(b, fmt.Sprintf("run%d", number), samples)
	writeBlock(b, fmt.Sprintf("ranks%d", number), ranks)
	writeBlock(b, fmt.Sprintf("operations%d", number), operations)
	one := describeRun(o, r)
	for _, note := range []string{coarser, missing} {
		if note != "" {
			one.LeftOut = append(one.LeftOut, note)
		}
	}
	return one
}

func describe(s *run.Subject) *page {
	p := &page{
		Title: "sluice: " + s.Name, Scenario: s.Name, Seed: s.Seed, Network: s.Graph.Name,
		HostsForward: s.Graph.HostsForward, Changes: strings.Join(s.Changes, " "),
		States: states(),
	}
	for id := range s.Graph.Nodes {
		n := &s.Graph.Nodes[id]
		p.Tier, p.Rack = append(p.Tier, int32(n.Tier)), append(p.Rack, n.Rack)
		ports := [][]int64{}
		for _, port := range n.Ports {
			ports = append(ports, []int64{
				int64(port.Peer), int64(port.PeerPort), int64(port.Link.Rate), int64(port.Link.Delay),
			})
		}
		p.Ports = append(p.Ports, ports)
	}
	return p
}

// list returns the index of the flows of a subject, which variants may have of their own.
func (p *page) list(s *run.Subject) int {
	same := func(l *flowList) bool { return slices.Equal(l.flows, s.Flows) }
	if i := slices.IndexFunc(p.Flows, same); i >= 0 {
		return i
	}
	l := &flowList{flows: s.Flows}
	for i := range s.Flows {
		f := &s.Flows[i]
		l.Src, l.Dst = append(l.Src, int32(f.Src)), append(l.Dst, int32(f.Dst))
		l.Class, l.Bytes = append(l.Class, int32(f.Class)), append(l.Bytes, int64(f.Bytes))
		l.Start, l.Group = append(l.Start, int64(f.Start)), append(l.Group, s.Groups[i].String())
	}
	p.Flows = append(p.Flows, l)
	return len(p.Flows) - 1
}

func describeRun(o *run.Outcome, r *Recorder) oneRun {
	one := oneRun{
		Label: o.FC, FlowControl: o.Run, End: int64(o.Result.Simulated), Deadlock: o.Result.Deadlock,
		Notes: o.Result.Notes, Samples: len(r.times), Failures: o.Subject.Failures.Words(),
		Jobs: describeJobs(o),
	}
	for i := range o.Result.Flows {
		f := &o.Result.Flows[i]
		fct := int64(f.FCT)
		if f.FCT == sluice.Never {
			fct = -1
		}
		one.FCT, one.Ideal = append(one.FCT, fct), append(one.Ideal, int64(f.Ideal))
	}
	for _, n := range o.Result.Circle {
		one.Circle = append(one.Circle, [2]int32{r.port(n.At), int32(n.Queue)})
	}
	if r.stride > 1 {
		one.LeftOut = append(one.LeftOut, fmt.Sprintf("of %d samples every %dth is kept, and the last: %d; "+
			"what they count is counted in full", r.taken, r.stride, len(r.times)))
	}
	for _, w := range r.ways {
		way := []int64{int64(w.from), int64(w.flow)}
		for _, hop := range w.hops {
			way = append(way, int64(hop))
		}
		one.Ways = append(one.Ways, way)
	}
	return one
}

// encode returns the times of the samples, as differences, and the tracks.
func (r *Recorder) encode() []byte {
	dst := binary.AppendUvarint(nil, uint64(len(r.times)))
	last := sluice.Time(0)
	for _, at := range r.times {
		dst = binary.AppendUvarint(dst, uint64(at-last))
		last = at
	}
	for _, t := range r.tracks {
		dst = t.appendTo(dst)
	}
	return dst
}

// packed returns bytes as text that a page can have.
func packed(raw []byte) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one
	_, _ = z.Write(raw)                                   // a buffer takes all
	_ = z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
