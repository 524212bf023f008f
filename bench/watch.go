package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// watchOptions are the flags of what is observed in a run.
type watchOptions struct {
	probes        probeList
	every, warmUp instant
	headers       hopList // of which ports the capture has packets

	samples, ports, pfc, qlen, pcapng string // files
}

func (w *watchOptions) register(f *flag.FlagSet) {
	f.Var(&w.probes, "probe", "")
	f.Var(&w.every, "every", "")
	f.Var(&w.warmUp, "warmup", "")
	f.StringVar(&w.samples, "samples", "", "")
	f.StringVar(&w.ports, "ports", "", "")
	f.StringVar(&w.pfc, "pfc", "", "")
	f.StringVar(&w.qlen, "qlen", "", "")
	f.StringVar(&w.pcapng, "pcapng", "", "")
	f.Var(&w.headers, "headers", "")
}

// files are the output files, in the order of the help.
func (w *watchOptions) files() []string {
	return []string{w.samples, w.ports, w.pfc, w.qlen, w.pcapng}
}

// request is what the flags ask to observe.
func (w *watchOptions) request() run.WatchRequest {
	return run.WatchRequest{
		Probes: w.probes, Every: sluice.Time(w.every), WarmUp: sluice.Time(w.warmUp), Headers: w.headers,
		Pauses: w.pfc != "", Lengths: w.qlen != "", Frames: w.pcapng != "",
		Ports: w.samples != "" || w.ports != "",
	}
}

func (w *watchOptions) check() error {
	switch {
	case w.samples != "" && len(w.probes) == 0:
		return usagef("-samples needs -probe")
	case len(w.headers) > 0 && w.pcapng == "":
		return usagef("-headers needs -pcapng")
	}
	return nil
}

// probeList is a flag of ports and flows: "160:3,flow:12".
type probeList []run.Probed

func (l *probeList) String() string { return fmt.Sprint(*l) }

func (l *probeList) Set(s string) error {
	items, err := splitList(s)
	for _, item := range items {
		number, isFlow := strings.CutPrefix(item, "flow:")
		if !isFlow {
			var ports hopList
			if err := ports.Set(item); err != nil {
				return errors.New(err.Error() + ", or flow:NUMBER")
			}
			*l = append(*l, run.Probed{At: ports[0]})
			continue
		}
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return fmt.Errorf("%q is no flow: write flow:NUMBER, from flow:0 on", item)
		}
		*l = append(*l, run.Probed{Flow: int32(n), IsFlow: true})
	}
	return err
}
