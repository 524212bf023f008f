package main

import (
	"flag"
	"fmt"

	"github.com/sluicefc/sluice/internal/lab/draw"
)

// styleFlags are what a picture looks like; each needs a picture.
var styleFlags = []string{"panel", "size", "title", "legend", "log", "linear"}

func declareStyle(style *draw.Style, f *flag.FlagSet) {
	f.Func("panel", "", list(&style.Panels, parseName))
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
