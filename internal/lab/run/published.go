package run

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Published is what others measured on a scenario: completion times in microseconds under some
// protocols, in the order of the flows.
type Published struct {
	Source string
	FCT    map[string][]float64
}

// Times returns the completion times of a group that were published for a protocol.
func (p *Published) Times(fc string, groups []workload.Group, g workload.Group) []float64 {
	var times []float64
	for i, t := range p.FCT[fc] {
		if groups[i] == g || g == workload.GroupAuto {
			times = append(times, t)
		}
	}
	return times
}

// Mean returns the mean published completion time of a group.
func (p *Published) Mean(
	fc string, groups []workload.Group, g workload.Group,
) (mean float64, ok bool) {
	s := summarise(p.Times(fc, groups, g))
	if s == nil {
		return 0, false
	}
	return s.Mean, true
}

// ReadPublished reads a table with the columns src, dst, bytes, start_ns and fct_<fc>_us for any
// number of protocols, and checks that its rows are the flows, in their order.
func ReadPublished(r io.Reader, source string, flows []workload.Flow) (*Published, error) {
	reader := csv.NewReader(r)
	header, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("published results: %w", err)
	}
	column := map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	for _, name := range []string{"src", "dst", "bytes", "start_ns"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("published results: there is no column %s", name)
		}
	}
	p := &Published{Source: source, FCT: map[string][]float64{}}
	for n := 0; ; n++ {
		row, err := reader.Read()
		if err == io.EOF && n == len(flows) {
			return p, nil
		}
		if err == io.EOF {
			return nil, fmt.Errorf("published results: %d rows for %d flows", n, len(flows))
		}
		if err != nil {
			return nil, fmt.Errorf("published results: %w", err)
		}
		if err := p.addRow(row, header, column, flows, n); err != nil {
			line, _ := reader.FieldPos(0)
			return nil, fmt.Errorf("published results: line %d: %w", line, err)
		}
	}
}

func (p *Published) addRow(
	row, header []string, column map[string]int, flows []workload.Flow, n int,
) error {
	if n >= len(flows) {
		return fmt.Errorf("more rows than the %d flows", len(flows))
	}
	f := &flows[n]
	for name, want := range map[string]int64{
		"src": int64(f.Src), "dst": int64(f.Dst), "bytes": int64(f.Bytes),
		"start_ns": int64(f.Start / sluice.Nanosecond),
	} {
		if got, err := strconv.ParseInt(row[column[name]], 10, 64); err != nil || got != want {
			return fmt.Errorf("%s is %q, flow %d has %d", name, row[column[name]], n, want)
		}
	}
	for i, name := range header {
		fc, ok := strings.CutPrefix(name, "fct_")
		fc, isTime := strings.CutSuffix(fc, "_us")
		if !ok || !isTime {
			continue
		}
		t, err := strconv.ParseFloat(row[i], 64)
		if err != nil || !(t > 0) {
			return fmt.Errorf("%s %q is not a positive number", name, row[i])
		}
		p.FCT[fc] = append(p.FCT[fc], t)
	}
	return nil
}
