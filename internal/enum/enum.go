// Package enum names the constants of enumerations.
package enum

import "strconv"

// Name returns the name of a constant by its number, "Mode(7)" for a number of the type Mode that
// has none.
func Name[T ~uint8](v T, kind string, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return kind + "(" + strconv.Itoa(int(v)) + ")"
}
