package params

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// value is a parsed value. Every number is num/den in base units: bytes, picoseconds, bits per
// second; den is 1 except for Rational.
type value struct {
	num, den int64
	text     string // of Choice and of List
	written  string // by who set it
}

// parse reads text as the definition's kind and checks its bounds.
func (d *Definition) parse(text string) (value, error) {
	v, rule := d.read(text)
	if rule == "" {
		rule = d.checkBounds(v)
	}
	if rule != "" {
		return value{}, &Error{Parameter: d.Name, Value: text, Rule: rule}
	}
	return v, nil
}

// read reads text as the definition's kind; rule is not empty if it is none.
func (d *Definition) read(text string) (v value, rule string) {
	switch d.Kind {
	case Bool:
		switch text {
		case "true", "on", "yes", "1":
			return value{num: 1, den: 1}, ""
		case "false", "off", "no", "0":
			return value{num: 0, den: 1}, ""
		}
		return value{}, "must be true or false"
	case Choice:
		if i := d.choice(text); i >= 0 {
			return value{num: int64(i), den: 1, text: d.Choices[i]}, ""
		}
		if path, is := strings.CutPrefix(text, FilePrefix); is && d.Files && path != "" {
			return value{num: int64(len(d.Choices)), den: 1, text: text}, ""
		}
		rule := "must be one of " + strings.Join(d.Choices, ", ")
		if d.Files {
			rule += ", or " + FilePrefix + "PATH"
		}
		return value{}, rule
	case List:
		for _, item := range listItems(text) {
			_, notNumber := strconv.ParseUint(item, 10, 31)
			if notNumber != nil && !slices.Contains(d.Choices, item) {
				return value{},
					"must be numbers and " + strings.Join(d.Choices, ", ") + ", with plus signs between"
			}
		}
		return value{text: text, den: 1}, ""
	}
	return parseNumber(d.Kind, text)
}

// choice returns the number of the choice that text names, -1 if it names none: all of its words,
// with blanks or hyphens between, or one word that no other choice has.
func (d *Definition) choice(text string) int {
	text = strings.ReplaceAll(text, " ", "-")
	found := -1
	for i, name := range d.Choices {
		switch {
		case strings.EqualFold(name, text):
			return i
		case !slices.Contains(strings.Split(strings.ToLower(name), "-"), strings.ToLower(text)):
		case found >= 0:
			found = len(d.Choices)
		default:
			found = i
		}
	}
	if found == len(d.Choices) {
		return -1
	}
	return found
}

func listItems(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '+' || r == ' ' })
}

func (d *Definition) checkBounds(v value) (rule string) {
	if rule = d.boundOf(v); rule != "" && d.Because != "" {
		rule += ": " + d.Because
	}
	return rule
}

// boundOf returns the bound that a value is beyond; "" if there is none.
func (d *Definition) boundOf(v value) (rule string) {
	if d.Min == "" && v.num < 0 {
		return "must not be negative"
	}
	if d.Kind == Int && d.most > 0 && v.num > d.most {
		return "must be at most " + strconv.FormatInt(d.most, 10)
	}
	if d.Min != "" {
		text, above := strings.CutPrefix(d.Min, ">")
		low, _ := parseNumber(d.Kind, text)
		if c := v.compare(low); c < 0 || c == 0 && above {
			return "must be " + words(d.Min, "at least")
		}
	}
	if d.Max != "" {
		text, below := strings.CutPrefix(d.Max, "<")
		high, _ := parseNumber(d.Kind, text)
		if c := v.compare(high); c > 0 || c == 0 && below {
			return "must be " + words(d.Max, "at most")
		}
	}
	return ""
}

// words names a bound: "at least 3", "above 3" for ">3".
func words(bound, inclusive string) string {
	switch bound[0] {
	case '>':
		return "above " + bound[1:]
	case '<':
		return "below " + bound[1:]
	}
	return inclusive + " " + bound
}

func (v value) compare(w value) int {
	return big.NewRat(v.num, v.den).Cmp(big.NewRat(w.num, w.den))
}

type unit struct {
	name string
	size int64
}

var units = map[Kind][]unit{
	Bytes: {
		{"", 1}, {"B", 1}, {"KB", int64(sluice.KB)}, {"kB", int64(sluice.KB)}, {"MB", int64(sluice.MB)},
		{"GB", int64(sluice.GB)},
		{"KiB", int64(sluice.KiB)}, {"MiB", int64(sluice.MiB)}, {"GiB", int64(sluice.GiB)},
	},
	Time: {
		{"ps", int64(sluice.Picosecond)}, {"ns", int64(sluice.Nanosecond)},
		{"us", int64(sluice.Microsecond)},
		{"µs", int64(sluice.Microsecond)}, {"ms", int64(sluice.Millisecond)}, {"s", int64(sluice.Second)},
	},
	Rate: {
		{"bps", 1}, {"kbps", int64(sluice.Kbps)}, {"Mbps", int64(sluice.Mbps)},
		{"Gbps", int64(sluice.Gbps)}, {"Tbps", int64(sluice.Tbps)},
		{"b/s", 1}, {"kb/s", int64(sluice.Kbps)}, {"Mb/s", int64(sluice.Mbps)},
		{"Gb/s", int64(sluice.Gbps)}, {"Tb/s", int64(sluice.Tbps)},
	},
	Int: {{"", 1}},
}

var syntax = map[Kind]string{
	Bytes: "must be a number of bytes, such as 1460, 16KB or 20MiB (units B, KB, MB, GB, KiB, " +
		"MiB, GiB)",
	Time: "must be a time with a unit, such as 600ns or 1.5us (units ps, ns, us, ms, s), or never",
	Rate: "must be a rate with a unit, such as 100Gbps (units bps, kbps, Mbps, Gbps, Tbps, or " +
		"b/s, kb/s, ...)",
	Int:      "must be an integer",
	Rational: "must be a fraction such as 1/4, 0.25, 25% or 1e-3",
}

var whole = map[Kind]string{
	Bytes: "must be a whole number of bytes",
	Time:  "must be a whole number of picoseconds",
	Rate:  "must be a whole number of bits per second",
	Int:   "must be an integer",
}

const outOf64 = "is out of the range of 64 bits"

// maxDigits bounds the work that a value can cause.
const maxDigits = 40

// parseNumber reads a number of kind k; rule is not empty if text is none.
func parseNumber(k Kind, text string) (v value, rule string) {
	if k == Time && text == "never" {
		return value{num: int64(sluice.Never), den: 1}, ""
	}
	if k == Rational {
		return parseRational(text)
	}
	digits, suffix := splitNumber(text)
	number, ok := parseDecimal(digits)
	if !ok {
		return value{}, syntax[k]
	}
	size := int64(0)
	for _, u := range units[k] {
		if u.name == suffix {
			size = u.size
		}
	}
	if size == 0 && (suffix != "" || number.Sign() != 0) { // zero needs no unit
		return value{}, syntax[k]
	}
	number.Mul(number, big.NewRat(size, 1))
	switch {
	case !number.IsInt():
		return value{}, whole[k]
	case !number.Num().IsInt64() || k == Time && number.Num().Int64() == math.MaxInt64:
		return value{}, outOf64
	}
	return value{num: number.Num().Int64(), den: 1}, ""
}

// parseRational reads "1/4", "0.25", "25%" or "2" and reduces it.
func parseRational(text string) (v value, rule string) {
	var number *big.Rat
	if numerator, denominator, ok := strings.Cut(text, "/"); ok {
		n, okN := parseDecimal(numerator)
		d, okD := parseDecimal(denominator)
		if !okN || !okD || strings.ContainsAny(text, ".eE") {
			return value{}, syntax[Rational]
		}
		if d.Sign() <= 0 {
			return value{}, "must have a positive denominator"
		}
		number = n.Quo(n, d)
	} else {
		digits, percent := strings.CutSuffix(text, "%")
		n, ok := parseDecimal(digits)
		if !ok {
			return value{}, syntax[Rational]
		}
		if percent {
			n.Quo(n, big.NewRat(100, 1))
		}
		number = n
	}
	if !number.Num().IsInt64() || !number.Denom().IsInt64() {
		return value{}, outOf64
	}
	return value{num: number.Num().Int64(), den: number.Denom().Int64()}, ""
}

func splitNumber(text string) (digits, suffix string) {
	i := strings.LastIndexAny(text, "0123456789.") + 1
	return text[:i], text[i:]
}

// parseDecimal reads an optional minus sign, digits with at most one point between them, and an
// optional exponent. It refuses what big.Rat would accept beyond that: fractions, other bases,
// signs and underscores.
func parseDecimal(text string) (number *big.Rat, ok bool) {
	digits, exponent, ok := textfile.CutExponent(strings.TrimPrefix(text, "-"))
	wholePart, fraction, point := strings.Cut(digits, ".")
	if !ok || exponent < -maxDigits || exponent > maxDigits {
		return nil, false
	}
	if !allDigits(wholePart) || point && !allDigits(fraction) || len(digits) > maxDigits {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
