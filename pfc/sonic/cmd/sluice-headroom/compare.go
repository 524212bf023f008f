package main

import (
	"bufio"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// platforms are the tables of public platforms.
//
//go:embed platforms.txt
var platforms string

// platform is one of them.
type platform struct {
	name, repository, path string
	chip, basis            string
	cell                   sluice.Bytes // 0: not known
	rows                   sonic.Lookup
}

// readPlatforms reads the file of facts.
func readPlatforms(text string) (all []platform, err error) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		word, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if word == "" || word[0] == '#' {
			continue
		}
		if word == "platform" {
			all = append(all, platform{name: rest})
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("platforms.txt line %d: must begin with a platform", number)
		}
		p := &all[len(all)-1]
		switch word {
		case "source":
			p.repository, p.path, _ = strings.Cut(rest, " ")
		case "chip":
			p.chip = rest
		case "cell":
			if _, err := fmt.Sscanf(rest, "%d", &p.cell); err != nil {
				return nil, fmt.Errorf("platforms.txt line %d: %w", number, err)
			}
			_, p.basis, _ = strings.Cut(rest, " ")
		default:
			rows, err := sonic.ParseLookup(strings.NewReader(lines.Text() + " 0"))
			if err != nil {
				return nil, fmt.Errorf("platforms.txt line %d: %w", number, err)
			}
			p.rows = append(p.rows, rows...)
		}
	}
	return all, lines.Err()
}

// assumptions are what the bound is computed under, from mild to strict.
var assumptions = []struct {
	name  string
	chip  sonic.Chip
	cells bool
}{
	{"A", sonic.Chip{LosslessMTU: 1518, MTU: 1518}, false},
	{"B", sonic.Chip{LosslessMTU: 1518, MTU: 9216}, true},
	{"C", sonic.Chip{LosslessMTU: 9216, MTU: 9216}, true},
}

// bounds returns the exact headroom of a row under each assumption; 0 where the cell is not known.
func (p *platform) bounds(r sonic.LookupRow) (all [3]sluice.Bytes) {
	for i, a := range assumptions {
		chip := a.chip
		if a.cells {
			if chip.Cell = p.cell; p.cell == 0 {
				continue
			}
		}
		all[i] = chip.Exact(r.Speed, pfc.Cable(r.Cable)).Total
	}
	return all
}

// compare writes every row of every platform as comma-separated values, in bytes.
func compare(w io.Writer) error {
	all, err := readPlatforms(platforms)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write(strings.Fields( // Error has it
		"platform chip cell basis repository path gbps metres size xon xoff A B C"))
	for i := range all {
		all[i].write(out)
	}
	out.Flush()
	return out.Error()
}

// summaries writes a row per platform: where its rows lie between the bounds, and, of published
// cells, what SONiC's formula gives.
func summaries(w io.Writer) error {
	all, err := readPlatforms(platforms)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write(strings.Fields( // Error has it
		"platform chip cell basis rows below_A A_to_B B_to_C above_C least_xoff/A most_xoff/C " +
			"formula_same below_A_at_3.8KiB"))
	for i := range all {
		_ = out.Write(all[i].summary())
	}
	out.Flush()
	return out.Error()
}

// summary is a platform's row of the summary. What the cell decides is empty where it is not known;
// then rows from A to B may be above B.
func (p *platform) summary() []string {
	var count [4]int
	least, most := 1e9, 0.0
	for _, r := range p.rows {
		bounds := p.bounds(r)
		least = min(least, float64(r.XOff)/float64(bounds[0]))
		at := 0
		for i, bound := range bounds {
			if r.XOff >= bound && (bound > 0 || i == 0) {
				at = i + 1
			}
		}
		count[at]++
		if bounds[2] > 0 {
			most = max(most, float64(r.XOff)/float64(bounds[2]))
		}
	}
	row := []string{p.name, p.chip, "", p.basis}
	for _, n := range append([]int{len(p.rows)}, count[:]...) {
		row = append(row, fmt.Sprint(n))
	}
	row = append(row, fmt.Sprintf("%.2f", least), fmt.Sprintf("%.2f", most))
	if p.cell == 0 {
		row[7], row[8], row[10] = "", "", ""
		return append(row, "", "")
	}
	row[2] = fmt.Sprint(int64(p.cell))
	if p.basis != "published" {
		return append(row, "", "")
	}
	same, prompt := p.reproduced()
	return append(row, fmt.Sprint(same), fmt.Sprint(prompt))
}

// reproduced returns how many rows SONiC's formula gives, and how many are below A if the peer
// responds as fast as the formula has it.
func (p *platform) reproduced() (same, prompt int) {
	chip, mild := formula(p.cell), assumptions[0].chip
	mild.Response = chip.Response
	for _, r := range p.rows {
		if chip.Formula(r.Speed, r.Cable) == r.XOff {
			same++
		}
		if r.XOff < mild.Exact(r.Speed, pfc.Cable(r.Cable)).Total {
			prompt++
		}
	}
	return same, prompt
}

// formula are the parameters with which SONiC's formula gives the tables of Spectrum.
func formula(cell sluice.Bytes) sonic.Chip {
	return sonic.Chip{
		Cell: cell, MACPHY: 819, Response: 3891, LosslessMTU: 1024, MTU: 9216, SmallPackets: 100,
		Script: sonic.ScriptByPackets,
	}
}

// write writes all rows of a platform.
func (p *platform) write(out *csv.Writer) {
	for _, r := range p.rows {
		bounds := p.bounds(r)
		number := func(bound sluice.Bytes) string {
			if bound == 0 {
				return "" // the cell is not known
			}
			return fmt.Sprint(int64(bound))
		}
		_ = out.Write([]string{
			p.name, p.chip, number(p.cell), p.basis, p.repository, p.path,
			fmt.Sprintf("%g", float64(r.Speed)/float64(sluice.Gbps)), fmt.Sprint(r.Cable),
			fmt.Sprint(int64(r.Size)), fmt.Sprint(int64(r.XOn)), fmt.Sprint(int64(r.XOff)),
			number(bounds[0]), number(bounds[1]), number(bounds[2]),
		})
	}
}
