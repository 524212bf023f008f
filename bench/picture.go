package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// styleFlags are what a picture looks like; each needs a picture.
var styleFlags = []string{"panel", "size", "title", "legend", "log", "linear"}

// panels are the kinds of panels of all pictures: what is none is refused before a run, which may
// take hours, and not after it.
var panels = []string{
	"fct-incast", "fct-vulnerable", "fct-background", "fct-all_flows", "queue", "paused", "goodput",
	"slowdown-p50", "slowdown-p95", "slowdown-p99", "w", "port-queue", "port-rate", "flows", "job",
	"timeline", report.MeasuredKind,
}

// parsePanel reads the name or the kind of a panel.
func parsePanel(text string) (string, error) {
	kind, _, _ := strings.Cut(text, ":")
	if !slices.Contains(panels, kind) && (ownPanel(kind) == "" || params.Nearest(kind, panels) != "") {
		return "", fmt.Errorf("no picture has a panel %q%s", text, params.DidYouMean(kind, panels))
	}
	return text, nil
}

// ownPanel is the name of one's own of the group whose completion times a panel shows, "" for none.
func ownPanel(kind string) string {
	name, is := strings.CutPrefix(kind, "fct-")
	if group, err := workload.NamedGroup(name); !is || err != nil || !group.IsOwn() {
		return ""
	}
	return name
}

// checkPanels refuses a panel of a group that no flow has.
func (o *options) checkPanels(groups []workload.Group) error {
	for _, panel := range o.style.Panels {
		kind, _, _ := strings.Cut(panel, ":")
		if name := ownPanel(kind); name != "" &&
			!slices.ContainsFunc(groups, func(g workload.Group) bool { return g.String() == name }) {
			return usagef("-panel %s: no flow has the group %s", panel, name)
		}
	}
	return nil
}

func declareStyle(style *draw.Style, f *flag.FlagSet) {
	f.Func("panel", "", list(&style.Panels, parsePanel))
	f.Func("size", "", func(text string) (err error) {
		style.Width, style.Height, err = draw.ParseSize(text)
		return err
	})
	f.Func("title", "", value(&style.NoTitle, parseOff))
	f.Func("legend", "", value(&style.NoLegend, parseOff))
	f.Func("log", "", value(&style.Log, draw.ParseAxes))
	f.Func("linear", "", value(&style.Linear, draw.ParseAxes))
}

// parseOff reads "on" or "off", and reports whether it is "off".
func parseOff(text string) (off bool, err error) {
	if text != "on" && text != "off" {
		return false, fmt.Errorf("%q must be on or off", text)
	}
	return text == "off", nil
}

// checkRoom refuses, before a run, panels that the picture will not have, and a size that has no
// room for it. Skeleton draws the picture without a curve.
func (o *options) checkRoom(skeleton func() *draw.Figure) error {
	if o.style.Width == 0 && o.style.Panels == nil {
		return nil
	}
	if err := skeleton().Check(o.style); err != nil {
		return usageError{err}
	}
	return nil
}

func (o *options) checkPicture() error {
	if o.plot == "" {
		for _, name := range styleFlags {
			if o.given[name] {
				return usagef("-%s needs a picture: -plot FILE", name)
			}
		}
		return nil
	}
	if log, linear := o.style.Log, o.style.Linear; log.X && linear.X || log.Y && linear.Y {
		return usagef("an axis is either -log or -linear")
	}
	if _, err := draw.PlotFormat(o.plot); err != nil {
		return usageError{err}
	}
	return nil
}
