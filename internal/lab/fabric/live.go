package fabric

import "github.com/sluicefc/sluice/internal/lab/sim"

// Live returns the run as one whose flows start when its owner says. Of Flows it reads the classes
// alone. What report adds to a result, Do would.
func (r *Run) Live() (live *sim.Live, report func(*sim.Result), err error) {
	p, fleet, err := r.configure()
	if err != nil {
		return nil, nil, err
	}
	if live, err = sim.NewLive(*p.hosts); err != nil {
		return nil, nil, r.Values.Explain(err, p.bound...)
	}
	return live, func(result *sim.Result) { p.report(fleet, result) }, nil
}
