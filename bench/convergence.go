package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
)

// convergenceRun is a control with so many flows.
type convergenceRun struct {
	control string
	senders int
	subject *subject
	outcome *outcome
	shared  convergence
}

// convergence is the command "convergence": the scenario hosts/convergence under each control.
func (c command) convergence(args []string) error {
	o := options{scenario: convergenceScenario}
	if err := c.parse(&o, "convergence", args); err != nil {
		return err
	}
	runs, err := o.convergenceRuns()
	if err != nil {
		return usageError{err}
	}
	if err := c.profiled(&o, func() error { return c.converge(&o, runs) }); err != nil {
		return err
	}
	w := c.writer(&o)
	if o.csv != "-" && o.plot != "-" {
		w.tables(func(out io.Writer) error { return writeConvergence(out, runs) })
	}
	w.file(o.csv, "table", func(out io.Writer) error { return writeRows(out, convergenceRows(runs)) })
	w.picture(o.plot, func() *figure { return convergenceFigure(runs) })
	return w.finish()
}

// convergenceRuns plans the runs and checks every configuration.
func (o *options) convergenceRuns() ([]*convergenceRun, error) {
	controls := o.controls
	if len(controls) == 0 {
		controls = cc.Names[1:]
	}
	if len(o.protocols) > 1 {
		return nil, fmt.Errorf("one flow control at a time, not %v", &o.protocols)
	}
	s, err := everything.find(convergenceScenario)
	if err != nil {
		return nil, err
	}
	var runs []*convergenceRun
	for _, control := range controls {
		for _, senders := range o.senders {
			one := *o
			one.set = append(slices.Clone(o.set), fmt.Sprintf("cc=%s,%s=%d", control, paramSenders, senders))
			subject, err := everything.prepare(s, one.request())
			if err == nil {
				err = subject.check(int(o.jobs))
			}
			if err != nil {
				return nil, err
			}
			runs = append(runs, &convergenceRun{control: control, senders: senders, subject: subject})
		}
	}
	return runs, nil
}

func (c command) converge(o *options, runs []*convergenceRun) error {
	progress := c.progress(o, len(runs))
	defer progress.clear()
	return inParallel(len(runs), int(o.jobs), func(i int) (err error) {
		r := runs[i]
		update, done := progress.begin(fmt.Sprintf("%s, %s", r.control, plural(r.senders, "flow")))
		defer done()
		if r.outcome, err = r.subject.simulate(r.subject.protocols[0], false, update); err == nil {
			r.shared = converged(r.subject, r.outcome)
		}
		return err
	})
}

// misses says which bounds a run does not keep.
func (r *convergenceRun) misses() string {
	var missed []string
	if r.shared.jain < fairEnough {
		missed = append(missed, "fairness")
	}
	if r.shared.used < busyEnough {
		missed = append(missed, "use")
	}
	return strings.Join(missed, ", ")
}

func convergenceRows(runs []*convergenceRun) [][]string {
	rows := [][]string{
		{"cc", "flows", "jain", "used", "mean_queue_bytes", "longest_queue_bytes", "misses"},
	}
	for _, r := range runs {
		rows = append(rows, []string{
			r.control, strconv.Itoa(r.senders), fmt.Sprintf("%.4f", r.shared.jain),
			fmt.Sprintf("%.4f", r.shared.used),
			fmt.Sprint(int64(r.shared.mean)), fmt.Sprint(int64(r.shared.longest)), r.misses(),
		})
	}
	return rows
}

// writeConvergence writes the table for people.
func writeConvergence(w io.Writer, runs []*convergenceRun) error {
	first := runs[0].subject
	t := newTable(1, "cc", "flows", "Jain", "used", "mean kB", "longest kB", "misses")
	t.columns[6].right = false
	for _, r := range runs {
		t.add(
			r.control, strconv.Itoa(r.senders),
			fmt.Sprintf("%.3f", r.shared.jain), fmt.Sprintf("%.3f", r.shared.used),
			significant(float64(r.shared.mean)/1e3), significant(float64(r.shared.longest)/1e3),
			r.misses(),
		)
	}
	_, err := fmt.Fprintf(w,
		"%s: %s\n%s, under %s, from %v to %v; bounds: Jain's index %v, used %v\n\n%s\n",
		first.name, first.describe(), first.values.Rate(byname.HostRate), first.protocols[0],
		first.warmUp, first.until,
		fairEnough, busyEnough, t.String())
	return err
}

// convergenceFigure draws the rates of the flows: a row of panels per control.
func convergenceFigure(runs []*convergenceRun) *figure {
	first := runs[0].subject
	f := &figure{
		title: first.name + ": " + first.describe(),
		subtitle: fmt.Sprintf(
			"rates of flows; %v, under %s; a colour per flow", first.values.Rate(byname.HostRate),
			first.protocols[0],
		),
	}
	var row []*panel
	for i, r := range runs {
		p := &panel{
			title: fmt.Sprintf(
				"%s, %d flows: Jain %.3f, used %.3f", r.control, r.senders, r.shared.jain, r.shared.used,
			),
			xLabel: "time, us", yLabel: "Gb/s",
		}
		f.addRates(p, r.outcome.result.Seen.Flows)
		row = append(row, p)
		if i == len(runs)-1 || runs[i+1].control != r.control {
			f.rows, row = append(f.rows, row), nil
		}
	}
	return f
}
