package topo

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// parseHPCCLink parses "100Gbps", "0.001ms", "0".
func (f *fileReader) parseHPCCLink(fields []string) (l sluice.Link, err error) {
	rate, err := f.lines.Quantity("rate", fields[0], textfile.RateUnits)
	if err != nil {
		return l, err
	}
	delay, err := f.lines.Quantity("delay", fields[1], textfile.DelayUnits)
	if err != nil {
		return l, err
	}
	loss, err := f.lines.Decimal("error rate", fields[2], 18)
	if err != nil {
		return l, err
	}
	if loss != 0 {
		return l, f.lines.Errorf(
			"error rate %s: links that lose packets are not supported, it must be 0",
			textfile.Quote(fields[2]),
		)
	}
	return sluice.Link{Rate: sluice.Rate(rate), Delay: sluice.Time(delay)}, nil
}

// parsePyrrhaLink parses Gb/s and ns, numbers without a unit.
func (f *fileReader) parsePyrrhaLink(fields []string) (l sluice.Link, err error) {
	rate, err := f.lines.Decimal("rate", fields[0], 9)
	if err != nil {
		return l, err
	}
	delay, err := f.lines.Decimal("delay", fields[1], 3)
	if err != nil {
		return l, err
	}
	return sluice.Link{Rate: sluice.Rate(rate), Delay: sluice.Time(delay)}, nil
}
