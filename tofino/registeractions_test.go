package tofino_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	registerAction = regexp.MustCompile(`(?s)RegisterAction\d?<[^;]*?>\((\w+)\) \w+ = \{(.*?)\n    \};`)
	packetField    = regexp.MustCompile(`\b(?:md|hdr|(?:ig|eg|g)_\w+)\.[\w.]+`)
	returned       = regexp.MustCompile(`rv\d = (\d+w\w+);`)
	zero           = regexp.MustCompile(`^\d+w0$`)
	computed       = regexp.MustCompile(`rv\d = \S+ \S|value\S* = \S+ \S+ \S+ \S`)
)

// found returns the words that a pattern finds in texts of a register's actions.
func found(pattern *regexp.Regexp, texts []string) map[string]bool {
	words := map[string]bool{}
	for _, text := range texts {
		for _, match := range pattern.FindAllStringSubmatch(text, -1) {
			words[match[len(match)-1]] = true
		}
	}
	return words
}

// numbersOf returns the numbers beside 0 that actions return, without their widths.
func numbersOf(texts []string) map[string]bool {
	numbers := map[string]bool{}
	for number := range found(returned, texts) {
		if !zero.MatchString(number) {
			numbers[regexp.MustCompile(`^\d+w`).ReplaceAllString(number, "")] = true
		}
	}
	return numbers
}

// What the compiler's source says of a register's ALU, which all its actions share: it "requires
// more than 2 PHV inputs", it "cannot output a constant because the predicate is output in another
// control flow", "addition can only be used if it is the only operation". The lines that are found
// are of earlier texts.
func TestActionsOfARegisterShareItsALU(t *testing.T) {
	require.Len(t, found(packetField, []string{
		"if (before.low == hdr.order.high && before.high > md.until) {",
		"if (before.low == hdr.bridge.high && before.high > md.until) {"}), 3)
	require.Len(t, numbersOf([]string{"rv1 = 8w2;", "rv1 = 1w1;\nrv2 = 16w0;"}), 2)
	require.Regexp(t, computed, "rv1 = before + 8w1;")
	require.NotRegexp(t, computed, "value.low = before.low + md.cells;\nrv1 = value;")
	for name, text := range texts(t) {
		actions := map[string][]string{}
		for _, match := range registerAction.FindAllStringSubmatch(text, -1) {
			actions[match[1]] = append(actions[match[1]], match[2])
		}
		for register, bodies := range actions {
			assert.LessOrEqual(t, len(found(packetField, bodies)), 2, "%s, %s: %v", name, register,
				found(packetField, bodies))
			assert.LessOrEqual(t, len(numbersOf(bodies)), 1, "%s, %s: %v", name, register,
				numbersOf(bodies))
			for _, body := range bodies {
				assert.NotRegexp(t, computed, body, "%s, %s", name, register)
			}
		}
	}
}
