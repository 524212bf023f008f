package textfile

import (
	"math"
	"strconv"
	"strings"
)

// ParseDecimal parses "12", "0.000000099", ".5" or "4.2e-07" and returns the number times
// 10^places, exactly. rule is empty, or says what is wrong: not a decimal number, out of the range
// of an int64, or more decimal places than there are. Signs of the number itself are refused.
func ParseDecimal(s string, places int) (n int64, rule string) {
	mantissa, shift, ok := CutExponent(s)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !ok || whole == "" && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return 0, "is not a decimal number"
	}
	digits := strings.TrimRight(whole+fraction, "0")
	if strings.Trim(digits, "0") == "" {
		return 0, ""
	}
	size := len(whole) + shift + places // of the result, in digits
	if len(digits) > size {
		return 0, "has more than " + strconv.Itoa(places) + " decimal places"
	}
	for i := range size {
		digit := int64(0)
		if i < len(digits) {
			digit = int64(digits[i] - '0')
		}
		if n > (math.MaxInt64-digit)/10 {
			return 0, "is too large"
		}
		n = 10*n + digit
	}
	return n, ""
}

// CutExponent cuts "4.2e-07" into 4.2 and -7; a number without an exponent has the exponent 0. It
// is false if what follows the letter is not one to three digits with at most one sign.
func CutExponent(s string) (mantissa string, exponent int, ok bool) {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, 0, true
	}
	exponent, err := strconv.Atoi(s[i+1:])
	return s[:i], exponent, err == nil && -1000 < exponent && exponent < 1000
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
