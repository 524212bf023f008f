package topo

import (
	"math"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// parseHPCCLink parses "100Gbps", "0.001ms", "0".
func (f *fileReader) parseHPCCLink(fields []string) (l sluice.Link, err error) {
	rate, err := f.quantity("rate", fields[0], rateUnits[:])
	if err != nil {
		return l, err
	}
	delay, err := f.quantity("delay", fields[1], delayUnits[:])
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

// unit is ten to the power of places base units: of 1 bit/s or of 1 ps.
type unit struct {
	name   string
	places int
}

// Units as ns-3 spells them; the largest first, so that a writer finds the largest that fits.
var (
	rateUnits  = [...]unit{{"Tbps", 12}, {"Gbps", 9}, {"Mbps", 6}, {"kbps", 3}, {"bps", 0}}
	delayUnits = [...]unit{{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}, {"ps", 0}}
)

// quantity parses a decimal number with a unit and returns it in base units.
func (f *fileReader) quantity(what, field string, units []unit) (int64, error) {
	end := strings.LastIndexAny(field, "0123456789.") + 1 // there may be an exponent before it
	if end == 0 || end == len(field) {
		return 0, f.lines.Errorf(
			"%s %s is not a number with a unit (%s)", what, textfile.Quote(field), unitNames(units),
		)
	}
	name := strings.Replace(field[end:], "b/s", "bps", 1)
	if name == "Kbps" {
		name = "kbps"
	}
	for _, u := range units {
		if u.name != name {
			continue
		}
		n, rule := textfile.ParseDecimal(field[:end], u.places)
		if rule != "" {
			return 0, f.lines.Errorf("%s %s %s", what, textfile.Quote(field), rule)
		}
		return n, nil
	}
	return 0, f.lines.Errorf("%s %s has no unit of %s", what, textfile.Quote(field), unitNames(units))
}

// appendQuantity appends n base units in the largest unit that keeps a whole number.
func appendQuantity(dst []byte, n int64, units []unit) []byte {
	for _, u := range units {
		if scale := int64(math.Pow10(u.places)); n%scale == 0 && n != 0 || u.places == 0 {
			dst = textfile.AppendDecimal(dst, n/scale, 0, 0)
			return append(dst, u.name...)
		}
	}
	return dst
}

func unitNames(units []unit) string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}
	return strings.Join(names, ", ")
}
