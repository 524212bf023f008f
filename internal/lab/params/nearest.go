package params

import "strings"

// Nearest returns the known name that a typing error is most likely to have been, "" if none is
// close: at most a third of the name was typed otherwise.
func Nearest(name string, known []string) string {
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// DidYouMean is Nearest as the end of an error's text.
func DidYouMean(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// editDistance counts the fewest insertions, deletions, substitutions, and exchanges of two
// neighbours that make b of a.
func editDistance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
