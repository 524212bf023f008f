package sonic

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// Rules of values.
var (
	errBytes   = errors.New("must be a number of bytes, 0 to 2^42")
	errSpeed   = errors.New("must be a speed in Mb/s, 1 to 10^9")
	errCable   = errors.New("must be a length in metres, 0 to 200,000, as 40m")
	errMillis  = errors.New("must be a time in ms, 0 to 10^9")
	errDynamic = errors.New("must be a power of two, -20 to 20")
	errClasses = errors.New("must be priorities 0 to 7, as 3,4 or 3-4")
	errPercent = errors.New("must be 0 to 100")
	errOctets  = errors.New("must be a rate in bytes per second, 1,000 to 10^14, or 0")
	errWeight  = errors.New("must be a weight, 1 to 100")
	errMAC     = errors.New("must be six octets, as 00:11:22:33:44:55")
)

func parseNumber(s string, most int64, rule error) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, rule
	}
	return n, nil
}

func parseBytes(s string) (sluice.Bytes, error) {
	n, err := parseNumber(s, int64(pfc.MaxBuffer), errBytes)
	return sluice.Bytes(n), err
}

func parseSpeed(s string) (sluice.Rate, error) {
	n, err := parseNumber(s, 1e9, errSpeed)
	if n == 0 {
		err = errSpeed
	}
	return sluice.Rate(n) * sluice.Mbps, err
}

// parseOctetRate reads a rate in bytes per second, as schedulers have it.
func parseOctetRate(s string) (sluice.Rate, error) {
	n, err := parseNumber(s, 1e14, errOctets)
	if err == nil && n > 0 && n < 1000 {
		err = errOctets
	}
	return sluice.Rate(n) * 8, err
}

func parseWeight(s string) (int, error) {
	n, err := parseNumber(s, 100, errWeight)
	if n == 0 && err == nil {
		err = errWeight
	}
	return int(n), err
}

func parseCable(s string) (int, error) {
	metres, ok := strings.CutSuffix(s, "m")
	if !ok {
		return 0, errCable
	}
	n, err := parseNumber(metres, 200_000, errCable)
	return int(n), err
}

func cableName(metres int) string { return strconv.Itoa(metres) + "m" }

func parseMillis(s string) (sluice.Time, error) {
	n, err := parseNumber(s, 1e9, errMillis)
	return sluice.Time(n) * sluice.Millisecond, err
}

// parseDynamic reads a dynamic_th: the binary logarithm of alpha.
func parseDynamic(s string) (sluice.Ratio, error) {
	n, err := strconv.Atoi(s)
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
		first, err := parseNumber(low, 7, errClasses)
		last := first
		if err == nil && ranged {
			last, err = parseNumber(high, 7, errClasses)
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
	for c := range sluice.Class(sluice.Classes) {
		if set.Has(c) {
			names = append(names, strconv.Itoa(int(c)))
		}
	}
	return strings.Join(names, ",")
}
