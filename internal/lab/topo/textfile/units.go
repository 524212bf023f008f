package textfile

import (
	"math"
	"strings"
)

// Unit is ten to the power of places base units: of 1 bit/s or of 1 ps.
type Unit struct {
	name   string
	places int
}

// Units as ns-3 spells them; the largest first, so that a writer finds the largest that fits.
var (
	RateUnits  = []Unit{{"Tbps", 12}, {"Gbps", 9}, {"Mbps", 6}, {"kbps", 3}, {"bps", 0}}
	DelayUnits = []Unit{{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}, {"ps", 0}}
)

// Quantity parses a decimal number with a unit and returns it in base units: see Err.
func (r *Reader) Quantity(what, field string, units []Unit) int64 {
	end := strings.LastIndexAny(field, "0123456789.") + 1 // there may be an exponent before it
	if end == 0 || end == len(field) {
		r.refuse(what, field, "is not a number with a unit (%s)", unitNames(units))
		return 0
	}
	name := strings.Replace(field[end:], "b/s", "bps", 1)
	if name == "Kbps" {
		name = "kbps"
	}
	for _, u := range units {
		if u.name == name {
			n, rule := ParseDecimal(field[:end], u.places)
			if rule != "" {
				r.refuse(what, field, "%s", rule)
			}
			return n
		}
	}
	r.refuse(what, field, "has no unit of %s", unitNames(units))
	return 0
}

// AppendQuantity appends n base units in the largest unit that keeps a whole number.
func AppendQuantity(dst []byte, n int64, units []Unit) []byte {
	for _, u := range units {
		if scale := int64(math.Pow10(u.places)); n%scale == 0 && n != 0 || u.places == 0 {
			dst = AppendDecimal(dst, n/scale, 0, 0)
			return append(dst, u.name...)
		}
	}
	return dst
}

func unitNames(units []Unit) string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}
	return strings.Join(names, ", ")
}
