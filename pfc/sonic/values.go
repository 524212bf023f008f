package sonic

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// Rules of values that are no plain numbers.
var (
	errCable   = errors.New("must be a length in metres, 0 to 200,000, as 40m")
	errDynamic = errors.New("must be a power of two, -20 to 20")
	errClasses = errors.New("must be priorities 0 to 7, as 3,4 or 3-4")
	errOctets  = errors.New("must be a rate in bytes per second, 1,000 to 10^14, or 0")
	errMAC     = errors.New("must be six octets, as 00:11:22:33:44:55")
)

// Parsers of numbers.
var (
	parseBytes = number(0, int64(pfc.MaxBuffer), sluice.Byte,
		errors.New("must be a number of bytes, 0 to 2^42"))
	parseSpeed  = number(1, 1e9, sluice.Mbps, errors.New("must be a speed in Mb/s, 1 to 10^9"))
	parseMillis = number(0, 1e9, sluice.Millisecond,
		errors.New("must be a time in ms, 0 to 10^9"))
	parseWeight   = number(1, 100, 1, errors.New("must be a weight, 1 to 100"))
	parseRatio    = number(0, 1000, sluice.Bytes(1), errors.New("must be a ratio, 0 to 1,000"))
	parsePercent  = number(0, 100, 1, errors.New("must be 0 to 100"))
	parseClass    = number(0, 7, sluice.Class(1), errors.New("must be a class, 0 to 7"))
	parsePriority = number(0, 7, 1, errClasses)
	parseMetres   = number(0, 200_000, 1, errCable)
	parseOctets   = number(0, 1e14, 8*sluice.BitPerSecond, errOctets)
)

// number returns a parser of whole units, from least to most.
func number[T ~int | ~int64 | ~uint8](
	least, most int64, unit T, rule error,
) func(string) (T, error) {
	return func(s string) (T, error) {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil || n < least || n > most {
			return 0, rule
		}
		return T(n) * unit, nil
	}
}

// parseOctetRate reads a rate in bytes per second, as schedulers have it.
func parseOctetRate(s string) (sluice.Rate, error) {
	rate, err := parseOctets(s)
	if err == nil && rate > 0 && rate < 8*sluice.Kbps {
		err = errOctets
	}
	return rate, err
}

func parseCable(s string) (int, error) {
	metres, ok := strings.CutSuffix(strings.TrimSpace(s), "m")
	if !ok {
		return 0, errCable
	}
	return parseMetres(metres)
}

func cableName(metres int) string { return strconv.Itoa(metres) + "m" }

// parseDynamic reads a dynamic_th: the binary logarithm of alpha.
func parseDynamic(s string) (sluice.Ratio, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	switch {
	case err != nil || n < -20 || n > 20:
		return sluice.Ratio{}, errDynamic
	case n < 0:
		return sluice.Ratio{Num: 1, Den: 1 << -n}, nil
	}
	return sluice.Ratio{Num: 1 << n, Den: 1}, nil
}

// dynamicName is the inverse; false if alpha is no power of two.
func dynamicName(alpha sluice.Ratio) (string, bool) {
	for n := -20; n <= 20; n++ {
		if power, _ := parseDynamic(strconv.Itoa(n)); power.Num*alpha.Den == alpha.Num*power.Den {
			return strconv.Itoa(n), true
		}
	}
	return "", false
}

// parseClasses reads "3,4", "3-4", "0-2,5" or "".
func parseClasses(s string) (set sluice.ClassSet, err error) {
	for part := range strings.SplitSeq(s, ",") {
		if part == "" && s == "" {
			return 0, nil
		}
		low, high, ranged := strings.Cut(part, "-")
		first, err := parsePriority(low)
		last := first
		if err == nil && ranged {
			last, err = parsePriority(high)
		}
		if err != nil || first > last {
			return 0, errClasses
		}
		for c := first; c <= last; c++ {
			set |= 1 << c
		}
	}
	return set, nil
}

// classNames is the inverse: "3,4".
func classNames(set sluice.ClassSet) string {
	var names []string
	for _, c := range classesOf(set) {
		names = append(names, strconv.Itoa(int(c)))
	}
	return strings.Join(names, ",")
}
