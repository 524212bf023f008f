package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/papers/general"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

type convergenceRun struct {
	control string
	senders int
	subject *run.Subject
	outcome *run.Outcome
	shared  general.Shared
}

// convergence is the command "convergence": the scenario hosts/convergence under each control.
func (c command) convergence(o *options) error {
	runs, err := o.convergenceRuns()
	if err != nil {
		return usageError{err}
	}
	if err := c.profiled(o, func() error { return c.converge(o, runs) }); err != nil {
		return err
	}
	w := c.writer(o)
	if o.csv != "-" && o.plot != "-" {
		w.tables(func(out io.Writer) error { return writeConvergence(out, o.request(), runs) })
	}
	w.file(o.csv, "table", func(out io.Writer) error {
		return report.WriteRows(out, convergenceRows(runs))
	})
	w.picture(o, func() *draw.Figure { return convergenceFigure(runs) })
	return w.finish()
}

func (o *options) convergenceRuns() ([]*convergenceRun, error) {
	controls, counts := o.controls, o.senders
	if len(controls) == 0 {
		controls = cc.Names[1:]
	}
	if len(counts) == 0 {
		counts = []int{2, 4, 16}
	}
	if len(o.protocols) > 1 {
		return nil, fmt.Errorf("one flow control at a time, not %s", strings.Join(o.protocols, ","))
	}
	s, err := papers.All.Find(general.Convergence)
	if err != nil {
		return nil, err
	}
	until, warmUp := cmp.Or(o.until, s.Until), o.watch.warmUp
	if warmUp >= until {
		return nil, fmt.Errorf("-warmup %v leaves nothing to measure until %v", warmUp, until)
	}
	var runs []*convergenceRun
	for _, control := range controls {
		for _, senders := range counts {
			one := *o
			one.set = append(slices.Clone(o.set),
				fmt.Sprintf("cc=%s,senders=%d", control, senders))
			subject, err := papers.All.Prepare(s, one.request())
			if err == nil {
				err = subject.Check(o.jobs)
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
	return run.InParallel(len(runs), o.jobs, func(i int) (err error) {
		r := runs[i]
		update, done := progress.begin(fmt.Sprintf("%s, %s", r.control, show.Plural(r.senders, "flow")))
		defer done()
		if r.outcome, err = r.subject.Simulate(r.subject.Protocols[0], false, update); err == nil {
			r.shared = general.Converged(r.subject, r.outcome)
		}
		return err
	})
}

func (r *convergenceRun) misses() string {
	var missed []string
	if r.shared.Jain < general.FairEnough {
		missed = append(missed, "fairness")
	}
	if r.shared.Used < general.BusyEnough {
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
			r.control, strconv.Itoa(r.senders), fmt.Sprintf("%.4f", r.shared.Jain),
			fmt.Sprintf("%.4f", r.shared.Used),
			fmt.Sprint(int64(r.shared.Mean)), fmt.Sprint(int64(r.shared.Longest)), r.misses(),
		})
	}
	return rows
}

func writeConvergence(w io.Writer, request run.Request, runs []*convergenceRun) error {
	first, changes := runs[0].subject, ""
	if len(request.Changes()) > 0 {
		changes = "with " + strings.Join(request.Changes(), " ") + "\n"
	}
	t := show.NewTable(1, "cc", "flows", "Jain", "used", "mean kB", "longest kB", "misses")
	t.Columns[6].Right = false
	for _, r := range runs {
		t.Add(r.control, strconv.Itoa(r.senders),
			fmt.Sprintf("%.3f", r.shared.Jain), fmt.Sprintf("%.3f", r.shared.Used),
			show.Significant(float64(r.shared.Mean)/1e3), show.Significant(float64(r.shared.Longest)/1e3),
			r.misses())
	}
	_, err := fmt.Fprintf(w,
		"%s: %s\n%s, under %s, from %v to %v, seed %d; bounds: Jain's index %v, used %v\n%s\n%s\n",
		first.Name, first.Describe(), first.Values.Rate("host.rate"), first.Protocols[0],
		first.WarmUp, first.Until, first.Seed,
		general.FairEnough, general.BusyEnough, changes, t.String())
	return err
}

// convergenceFigure draws the rates of the flows: a row of panels per control.
func convergenceFigure(runs []*convergenceRun) *draw.Figure {
	first := runs[0].subject
	f := &draw.Figure{
		Title: first.Name + ": " + first.Describe(),
		Subtitle: fmt.Sprintf(
			"rates of flows; %v, under %s; a colour per flow", first.Values.Rate("host.rate"),
			first.Protocols[0],
		),
	}
	var row []*draw.Panel
	for i, r := range runs {
		p := &draw.Panel{
			Name: fmt.Sprintf("flows:%s-%d", r.control, r.senders),
			Title: fmt.Sprintf(
				"%s, %d flows: Jain %.3f, used %.3f", r.control, r.senders, r.shared.Jain, r.shared.Used,
			),
			XLabel: "time, us", YLabel: "rate, Gb/s",
		}
		report.AddRates(f, p, r.outcome.Result.Seen.Flows)
		row = append(row, p)
		if i == len(runs)-1 || runs[i+1].control != r.control {
			f.Rows, row = append(f.Rows, row), nil
		}
	}
	return f
}
