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

// summaries writes the tables of the page: of platforms, and of what the formula gives.
func summaries(w io.Writer) error {
	all, err := readPlatforms(platforms)
	if err != nil {
		return err
	}
	b := &strings.Builder{}
	b.WriteString("| platform | chip | cell | rows | below A | A to B | B to C | above C | " +
		"least xoff/A | most xoff/C |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i := range all {
		all[i].summary(b)
	}
	b.WriteString("\n")
	reproduced(b, all)
	_, err = io.WriteString(w, b.String())
	return err
}

// summary writes a platform's line of the summary.
func (p *platform) summary(b *strings.Builder) {
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
	strict := func(n int) string {
		if p.cell == 0 {
			return "?"
		}
		return fmt.Sprint(n)
	}
	atLeastA := fmt.Sprint(count[1])
	mostC := fmt.Sprintf("%.2f", most)
	if p.cell == 0 {
		atLeastA, mostC = fmt.Sprintf("%d or more", count[1]), "?"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %d | %d | %s | %s | %s | %.2f | %s |\n", p.name, p.chip, p.cellName(),
		len(p.rows), count[0], atLeastA, strict(count[2]), strict(count[3]), least, mostC)
}

func (p *platform) cellName() string {
	if p.cell == 0 {
		return "?"
	}
	return fmt.Sprintf("%d %s", p.cell, p.basis)
}

// formula are the parameters with which SONiC's formula gives the tables of Spectrum.
func formula(cell sluice.Bytes) sonic.Chip {
	return sonic.Chip{
		Cell: cell, MACPHY: 819, Response: 3891, LosslessMTU: 1024, MTU: 9216, SmallPackets: 100,
		Script: sonic.ScriptByPackets,
	}
}

// reproduced says which tables the formula reproduces.
func reproduced(b *strings.Builder, all []platform) {
	b.WriteString(`| platform | rows | the same | below A | below A, if the peer responds in 3.8 KiB |
|---|--:|--:|--:|--:|
`)
	for i := range all {
		if p := &all[i]; p.basis == "published" {
			chip, same := formula(p.cell), 0
			below, prompt := 0, 0
			for _, r := range p.rows {
				if chip.Formula(r.Speed, r.Cable) == r.XOff {
					same++
				}
				mild := assumptions[0].chip
				if r.XOff < mild.Exact(r.Speed, pfc.Cable(r.Cable)).Total {
					below++
				}
				mild.Response = chip.Response
				if r.XOff < mild.Exact(r.Speed, pfc.Cable(r.Cable)).Total {
					prompt++
				}
			}
			fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", p.name, len(p.rows), same, below, prompt)
		}
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
