package textfile

import (
	"math"
	"strconv"
	"strings"
)

// ParseDecimal parses "12", "0.000000099" or ".5" and returns the number times 10^places,
// exactly. rule is empty, or says what is wrong: not a decimal number, out of the range of an int64, or more
// decimal places than there are. Signs and exponents are refused.
func ParseDecimal(s string, places int) (n int64, rule string) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return 0, "is not a decimal number"
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > places {
		return 0, "has more than " + strconv.Itoa(places) + " decimal places"
	}
	for i := range len(whole) + places {
		digit := int64(0)
		if i < len(whole) {
			digit = int64(whole[i] - '0')
		} else if i-len(whole) < len(fraction) {
			digit = int64(fraction[i-len(whole)] - '0')
		}
		if n > (math.MaxInt64-digit)/10 {
			return 0, "is too large"
		}
		n = 10*n + digit
	}
	return n, ""
}

// AppendDecimal appends n / 10^places, exactly, with at least least decimal places. n must
// not be negative.
func AppendDecimal(dst []byte, n int64, places, least int) []byte {
	digits := strconv.FormatInt(n, 10)
	if short := places + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	whole, fraction := digits[:len(digits)-places], digits[len(digits)-places:]
	for len(fraction) > least && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	dst = append(dst, whole...)
	if fraction == "" {
		return dst
	}
	dst = append(dst, '.')
	return append(dst, fraction...)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
