// Sluice-headroom says how much headroom keeps a switch port from losing lossless packets, to the
// byte, and what it is made of; and whether a SONiC switch has as much.
//
//	sluice-headroom [flags]                        a table, by speed and cable
//	sluice-headroom [flags] check config_db.json [pg_profile_lookup.ini]
//	                                               each lossless priority group of a configuration
//	sluice-headroom compare [summary]              tables of public platforms against the exact bound
//
// The flags are the figures of the chip and of its traffic; -format is table, json, or ini for a
// pg_profile_lookup.ini.
//
// Check compares each headroom with what it has to be, and shows a burst that loses a packet; fills
// a switch with lossless packets, to find those that limits of its egresses or WRED drop; and looks
// at what is reserved of pools and memory, at thresholds that flap, and at the times of the
// watchdog. In the traditional buffer model SONiC makes the lossless groups of the table by speed
// and cable, so that the check needs this too.
//
// Its exit status is 0 if nothing is wrong; 1 if it calls something unsafe, which loses packets, or
// unknown, or a fault of the tables: a name that no entry has, keys that overlap or come twice, a
// class of pfc_enable without a lossless group; and 2 if it cannot read them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/sonic"
)

func main() {
	status, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice-headroom:", err)
		status = 2
	}
	os.Exit(status)
}

// options are what the flags say.
type options struct {
	chip           sonic.Chip
	speeds, cables string
	format, asic   string
}

// run returns the exit status.
func run(args []string, w io.Writer) (int, error) {
	var o options
	flags := flag.NewFlagSet("sluice-headroom", flag.ContinueOnError)
	size := func(into *sluice.Bytes, name string, value int64, usage string) {
		*into = sluice.Bytes(value)
		flags.Int64Var((*int64)(into), name, value, usage)
	}
	size(&o.chip.Cell, "cell", 0, "size of a cell in `bytes`; 0: the buffer counts bytes")
	size(&o.chip.MACPHY, "mac-phy", 0, "what arrives in MAC and PHY, both ways, in `bytes`")
	size(&o.chip.Pipeline, "pipeline", 0, "what arrives in the pipeline, in `bytes`: the xon of SONiC")
	size(&o.chip.Response, "response", 0, "peer's response in `bytes`; 0: the quanta of IEEE 802.3")
	size(&o.chip.LosslessMTU, "lossless-mtu", 1518, "largest lossless frame in `bytes`")
	size(&o.chip.MTU, "mtu", 9216, "largest frame of any class in `bytes`")
	size(&o.chip.Buffer, "buffer", 0, "memory in `bytes`, for check where a pool has no size")
	flags.IntVar(&o.chip.SmallPackets, "small", 100,
		"`percent` of packets of 64 bytes, for SONiC's formula")
	flags.BoolVar(&o.chip.SharedHeadroom, "shared", false,
		"headrooms share a pool: then the size of a row of -format ini leaves xoff out")
	flags.TextVar(&o.chip.Script, "script", o.chip.Script, "SONiC's formula as of a `date`: "+
		"2021-11-15, 2024-09-10 or 2026-07-31")
	flags.IntVar(&o.chip.Spectrum, "spectrum", 0, "`generation` of an Nvidia chip, for that formula")
	flags.StringVar(&o.speeds, "speeds", "10,25,40,50,100,200,400,800", "in `Gb/s`")
	flags.StringVar(&o.cables, "cables", "5m,40m,300m", "`lengths`")
	flags.StringVar(&o.format, "format", "table", "table, json or ini")
	flags.StringVar(&o.asic, "asic", "", "`name` of the ASIC, in a file of several")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "usage: sluice-headroom [flags] "+
			"[check config_db.json [pg_profile_lookup.ini] | compare [summary]]\n")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0, nil
	case err != nil:
		return 2, err
	}
	switch rest := flags.Args(); {
	case len(rest) == 0:
		return 0, o.print(w)
	case rest[0] == "check" && len(rest) >= 2 && len(rest) <= 3:
		return o.check(w, rest[1], strings.Join(rest[2:], ""))
	case rest[0] == "compare" && len(rest) == 1:
		return 0, compare(w)
	case rest[0] == "compare" && len(rest) == 2 && rest[1] == "summary":
		return 0, summaries(w)
	}
	return 2, fmt.Errorf("arguments %q: must be none, check and a file or two, or compare", flags.Args())
}

// result is a row of the table.
type result struct {
	Gbps   float64           `json:"gbps"`
	Metres int               `json:"metres"`
	Parts  pfc.HeadroomParts `json:"parts"`
	SONiC  sluice.Bytes      `json:"sonic_formula"`
	rate   sluice.Rate
}

func (o *options) results() ([]result, error) {
	var all []result
	for cable := range strings.SplitSeq(o.cables, ",") {
		for speed := range strings.SplitSeq(o.speeds, ",") {
			line := fmt.Sprintf("%s000 %s 0 0 0 0", speed, cable) // in Mb/s, as in a table
			rows, err := sonic.ParseLookup(strings.NewReader(line))
			if err != nil {
				return nil, fmt.Errorf("speed %q, cable %q: %w", speed, cable, err)
			}
			r := rows[0]
			all = append(all, result{
				float64(r.Speed) / float64(sluice.Gbps), r.Cable,
				o.chip.Exact(r.Speed, pfc.Cable(r.Cable)), o.chip.Formula(r.Speed, r.Cable), r.Speed,
			})
		}
	}
	return all, nil
}

func (o *options) print(w io.Writer) error {
	all, err := o.results()
	if err != nil {
		return err
	}
	switch o.format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all)
	case "ini":
		_, err := o.lookup(all).WriteTo(w)
		return err
	case "table":
		return printTable(w, all)
	}
	return fmt.Errorf("-format %q: must be table, json or ini", o.format)
}

// lookup returns the rows of a pg_profile_lookup.ini: the pipeline is xon, and the size is that
// and, unless headrooms share a pool, xoff.
func (o *options) lookup(all []result) sonic.Lookup {
	var rows sonic.Lookup
	for _, r := range all {
		row := sonic.LookupRow{
			Speed: r.rate, Cable: r.Metres, XOn: o.chip.Pipeline, XOff: r.Parts.Total,
			Size: o.chip.Pipeline, XOnOffset: -1,
		}
		if !o.chip.SharedHeadroom {
			row.Size += row.XOff
		}
		rows = append(rows, row)
	}
	return rows
}

func printTable(w io.Writer, all []result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "Gb/s\tm\town frame\tpause\tcable\tMAC, PHY\tpeer\twindow\tarrivals\tlast\t"+
		"crossing\theadroom\tSONiC's formula\t")
	for _, r := range all {
		p := &r.Parts
		fmt.Fprintf(t, "%g\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", r.Gbps, r.Metres, p.Own,
			p.Pause, p.Cable, p.Switch, p.Reaction, p.Window, p.Arrivals, p.Last, p.Crossing, p.Total,
			r.SONiC)
	}
	return t.Flush()
}
