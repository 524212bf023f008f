package main

import (
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
)

type watchOptions struct {
	probes        []run.Probed
	every, warmUp sluice.Time
	headers       []sluice.Hop // ports whose packets the capture has

	samples, ports, pfc, qlen, pcapng string // files
}

func (w *watchOptions) declare(f *flag.FlagSet) {
	f.Func("probe", "", list(&w.probes, parseProbe))
	f.Func("every", "", value(&w.every, parseInstant))
	f.Func("warmup", "", value(&w.warmUp, parseInstant))
	f.StringVar(&w.samples, "samples", "", "")
	f.StringVar(&w.ports, "ports", "", "")
	f.StringVar(&w.pfc, "pfc", "", "")
	f.StringVar(&w.qlen, "qlen", "", "")
	f.StringVar(&w.pcapng, "pcapng", "", "")
	f.Func("headers", "", list(&w.headers, parseHop))
}

// files are the output files, in the order of the help.
func (w *watchOptions) files() []string {
	return []string{w.samples, w.ports, w.pfc, w.qlen, w.pcapng}
}

func (w *watchOptions) request() run.WatchRequest {
	return run.WatchRequest{
		Probes: w.probes, Every: w.every, WarmUp: w.warmUp, Headers: w.headers,
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

// parseProbe parses a port or a flow: "160:3", "flow:12".
func parseProbe(item string) (run.Probed, error) {
	number, isFlow := strings.CutPrefix(item, "flow:")
	if !isFlow {
		at, err := parseHop(item)
		if err != nil {
			err = fmt.Errorf("%w, or flow:NUMBER", err)
		}
		return run.Probed{At: at}, err
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		err = fmt.Errorf("%q is no flow: write flow:NUMBER, from flow:0 on", item)
	}
	return run.Probed{Flow: int32(n), IsFlow: true}, err
}
