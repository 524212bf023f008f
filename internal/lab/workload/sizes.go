package workload

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// ReadDistribution reads a distribution of flow sizes in the format of HPCC's traffic generator: a
// line "bytes percent" for each point, percentages with up to four places, from any first point to
// 100. A first point of "0 0" begins at one byte. The distribution's name is the file's, without
// folder and extension. name stands in errors, which are *FileError with the line. See
// [NewDistribution] for the rules of points.
func ReadDistribution(r io.Reader, name string) (*Distribution, error) {
	lines := textfile.NewReader(r, name)
	var points []Point
	for {
		fields, err := lines.Fields()
		if err == io.EOF {
			break
		}
		if err == nil && len(fields) != 2 {
			err = lines.Errorf("%d fields, a point has 2: a size in bytes, and the percentage of flows "+
				"that are at most as large", len(fields))
		}
		if err != nil {
			return nil, err
		}
		p := Point{Size: sluice.Bytes(lines.Uint("size", fields[0], uint64(MaxSize)))}
		percent := lines.Decimal("percentage", fields[1], 4)
		if err := lines.Err(); err != nil {
			return nil, err
		}
		if p.Size == 0 && percent == 0 && len(points) == 0 {
			p.Size = 1
		}
		p.PerMillion = uint32(min(percent, million+1))
		if rule := p.after(points); rule != "" {
			return nil, lines.Errorf("%s", rule)
		}
		points = append(points, p)
	}
	if last := len(points) - 1; last < 0 || points[last].PerMillion != million {
		return nil, lines.Errorf("the file ends before 100 percent")
	}
	short := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return NewDistribution(short, "file "+name, points)
}

// after returns the rule that a point breaks behind others.
func (p Point) after(points []Point) string {
	var before Point
	if len(points) > 0 {
		before = points[len(points)-1]
	}
	switch {
	case p.Size == 0:
		return "a flow has at least one byte"
	case p.PerMillion > million:
		return "the percentage is above 100"
	case p.Size < before.Size:
		return fmt.Sprintf("the size %d is below the size before, %d", p.Size, before.Size)
	case p.PerMillion < before.PerMillion:
		return "the percentage is below the percentage before"
	}
	return ""
}
