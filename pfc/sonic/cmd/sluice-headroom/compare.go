package main

import (
	"bufio"
	_ "embed"
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

const preface = `<!-- made by sluice-headroom compare -->
# Headroom of public SONiC platforms against the exact bound

SONiC takes the headroom of a lossless priority group, ` + "`xoff`" + `, from a table by speed and cable
that comes with each platform, ` + "`pg_profile_lookup.ini`" + `. This page compares these with the
least headroom, to the byte, that keeps a port from losing a packet:
` + "`pfc.PortConfig.HeadroomFor`" + `. It is made by a command, from facts in
` + "`pfc/sonic/cmd/sluice-headroom/platforms.txt`" + `:

    go run ./pfc/sonic/cmd/sluice-headroom compare > docs/headroom.md

The bound depends on what is assumed. All three columns assume a real Ethernet wire with preamble and
gap, 5 ns per metre, a peer that takes as long to obey as IEEE 802.3 clause 31B.3.7 lets it (67 quanta
at 10 Gb/s, as SONiC has it; 905 quanta's time at 400 Gb/s above that), a packet that crosses the
threshold, and no delay of the switch itself:

* **A**, mild: no frame is larger than 1,518 bytes, and none wastes a part of a cell.
* **B**: lossless frames have up to 1,518 bytes, frames of other classes up to 9,216, and lossless
  packets may be of any size, so that small ones waste most of their cells.
* **C**, strict: as B, with lossless frames of up to 9,216 bytes.

A row below A can lose packets on a link whose peer uses all of its time: it relies on peers that are
faster than the standard asks for, or on buffer that the table does not show, such as the part of a
profile's size that is not xoff, or the pool. Nothing here says that a network has lost any. A row
above C has bytes that no packet can ever use under these assumptions. Cells are published in SONiC's
sources where that is said; inferred, where all xoff but one or none are whole numbers of such cells;
or assumed, as in another platform of that chip. Where they are not known, only A is computed. The
names of chips are for orientation: nothing is computed from them.

`

// compare writes the page.
func compare(w io.Writer) error {
	all, err := readPlatforms(platforms)
	if err != nil {
		return err
	}
	b := &strings.Builder{}
	b.WriteString(preface)
	b.WriteString("| platform | chip | cell | rows | below A | A to B | B to C | above C | " +
		"least xoff/A | most xoff/C |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i := range all {
		all[i].summary(b)
	}
	b.WriteString("\n## What SONiC's formula gives\n\n")
	reproduced(b, all)
	b.WriteString("\n## Every row\n")
	for i := range all {
		all[i].table(b)
	}
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
	b.WriteString(`With mac_phy_delay 0.8 KiB and peer_response_time 3.8 KiB, as SONiC's asic_table.j2 has them, 100 %
small packets, a port MTU of 9,216 and a lossless MTU of 1,024, ` + "`sonic.Chip.Formula`" + ` gives these
rows of the platforms whose cells are published:

| platform | rows | the same | below A | below A, if the peer responds in 3.8 KiB |
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
	b.WriteString(`
The response of 3.8 KiB is 61 quanta at any speed. The standard allows 394 at 100 Gb/s, 25,216 bytes,
and 905 at 400 Gb/s; the last column shows which rows rely on a faster peer. With which parameters the
other tables were made is not known here.
`)
}

// table writes all rows of a platform.
func (p *platform) table(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s, cell %s; `%s` of `%s`.\n\n", p.name, p.chip, p.cellName(), p.path,
		p.repository)
	b.WriteString("| Gb/s | cable | size | xon | xoff | A | B | C | xoff less A | xoff less C |\n" +
		"|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range p.rows {
		bounds := p.bounds(r)
		number := func(n, bound sluice.Bytes) string {
			if bound == 0 {
				return "?"
			}
			return fmt.Sprint(int64(n))
		}
		fmt.Fprintf(b, "| %g | %d m | %d | %d | %d | %d | %s | %s | %d | %s |\n",
			float64(r.Speed)/float64(sluice.Gbps), r.Cable, r.Size, r.XOn, r.XOff, bounds[0],
			number(bounds[1], bounds[1]), number(bounds[2], bounds[2]), r.XOff-bounds[0],
			number(r.XOff-bounds[2], bounds[2]))
	}
}
