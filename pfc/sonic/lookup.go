package sonic

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// Lookup is a pg_profile_lookup.ini: lossless profiles by speed and cable.
type Lookup []LookupRow

// LookupRow is a row of it. All but the key is in bytes.
type LookupRow struct {
	Speed     sluice.Rate
	Cable     int // metres
	Size      sluice.Bytes
	XOn       sluice.Bytes
	XOff      sluice.Bytes // the headroom
	Threshold int64        // the dynamic_th, a power of two, or static_th
	XOnOffset sluice.Bytes // -1: the column is not there
}

// ParseLookup reads a pg_profile_lookup.ini. Lines that are empty or begin with # say nothing. An
// error names the line and the column.
func ParseLookup(r io.Reader) (Lookup, error) {
	var rows Lookup
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		row, err := parseRow(line)
		if err != nil {
			return nil, fmt.Errorf("sonic: pg_profile_lookup.ini line %d: %w", number, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("sonic: pg_profile_lookup.ini: %w", err)
	}
	return rows, nil
}

// columns of a row, in their order; the last may be missing.
var columns = [...]string{"speed", "cable", "size", "xon", "xoff", "threshold", "xon_offset"}

func parseRow(line string) (LookupRow, error) {
	fields := strings.Fields(line)
	row := LookupRow{XOnOffset: -1}
	if len(fields) < len(columns)-1 || len(fields) > len(columns) {
		return row, fmt.Errorf("%d columns, must be 6 or 7", len(fields))
	}
	speed, err := parseSpeed(fields[0])
	if err != nil {
		return row, fmt.Errorf("speed = %q: %w", fields[0], err)
	}
	metres, err := parseCable(fields[1])
	if err != nil {
		return row, fmt.Errorf("cable = %q: %w", fields[1], err)
	}
	row.Speed, row.Cable = speed, metres
	for i, into := range []*sluice.Bytes{2: &row.Size, 3: &row.XOn, 4: &row.XOff, 6: &row.XOnOffset} {
		if into == nil || i >= len(fields) {
			continue
		}
		if *into, err = parseBytes(fields[i]); err != nil {
			return row, fmt.Errorf("%s = %q: %w", columns[i], fields[i], err)
		}
	}
	if row.Threshold, err = strconv.ParseInt(fields[5], 10, 64); err != nil {
		return row, fmt.Errorf("threshold = %q: must be a whole number", fields[5])
	}
	return row, nil
}

// WriteTo writes a pg_profile_lookup.ini.
func (l Lookup) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	b.WriteString("# PG lossless profiles.\n# speed cable size xon xoff threshold xon_offset\n")
	for _, r := range l {
		fmt.Fprintf(&b, "%7d %7s %8d %7d %9d %3d", r.Speed/sluice.Mbps, cableName(r.Cable), r.Size,
			r.XOn, r.XOff, r.Threshold)
		if r.XOnOffset >= 0 {
			fmt.Fprintf(&b, " %7d", r.XOnOffset)
		}
		b.WriteByte('\n')
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// Find returns the row of a speed and a cable; false if there is none.
func (l Lookup) Find(speed sluice.Rate, metres int) (LookupRow, bool) {
	for _, r := range l {
		if r.Speed == speed && r.Cable == metres {
			return r, true
		}
	}
	return LookupRow{}, false
}
